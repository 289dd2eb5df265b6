import { type AccessRule, type CollectionAccess, defineCollection, defineConfig, f, hasRole } from 'daybook'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiTokens } from '../../../src/auth/api-tokens.ts'
import { People } from '../../support/auth/people.ts'
import type { Place } from '../../support/stores/place.ts'
import { POLICY_STORES } from '../../support/stores/stores.ts'

const people = new People({
  ada: ['editor'],
  ines: ['contributor'],
  omar: ['contributor'],
  rita: ['reviewer'],
  sam: [],
})
/** A word that occurs in every draft of Ada and Omar, and nowhere else. */
const CANARY = 'xcanaryx'

const isEditor = hasRole('editor', 'service')
const published = { status: { eq: 'published' } } as const
const isEditorOrOwnDraft: AccessRule = (request) =>
  isEditor(request) ||
  (request.identity !== null && { createdBy: { eq: request.identity.subject }, status: { eq: 'draft' } })
const isPublishedOrOwn: AccessRule = (request) =>
  isEditor(request) ||
  (request.identity ? { or: [published, { createdBy: { eq: request.identity.subject } }] } : published)

const collection = (access: CollectionAccess) =>
  defineCollection({
    fields: {
      title: f.text({ required: true, localized: true }),
      slug: f.slug({ from: 'title' }),
      status: f.status({ default: 'draft' }),
      body: f.markdown(),
      topic: f.text(),
      related: f.relation('authors'),
    },
    access: { create: (request) => request.identity !== null, ...access },
  })

/** A collection for each kind of rule that decides who sees drafts. */
const config = defineConfig({
  auth: people.adapter,
  locales: { available: ['en', 'de'], default: 'en' },
  collections: {
    authors: defineCollection({
      fields: {
        name: f.text({ required: true }),
        byRole: f.reverse('byRole.related'),
        byWhere: f.reverse('byWhere.related'),
        byEntry: f.reverse('byEntry.related'),
        byDraftRule: f.reverse('byDraftRule.related'),
      },
    }),
    byRole: collection({ update: isEditor }),
    byWhere: collection({ read: isPublishedOrOwn, update: isEditorOrOwnDraft, delete: isEditorOrOwnDraft }),
    byEntry: collection({
      update: (request) => isEditor(request) || request.entry?.createdBy === request.identity?.subject,
    }),
    /** Reviewers see drafts that they may not update; other sessions may update them without seeing them. */
    byDraftRule: collection({
      update: (request) => request.identity !== null,
      draft: hasRole('editor', 'service', 'reviewer'),
    }),
  },
})

const COLLECTIONS = ['byRole', 'byWhere', 'byEntry', 'byDraftRule'] as const
type Key = (typeof COLLECTIONS)[number]

/** The ids of the entries of Ada and Omar in a collection. */
interface Written {
  /** Published by Ada, without a draft. */
  readonly plain: string
  /** Published by Ada, with drafts before and after the publication, and a schedule. */
  readonly changed: string
  /** Never published, by Omar. */
  readonly unpublished: string
}

/** All paths at which a caller can read entries. */
const doors = (key: Key, { plain, changed, unpublished }: Written, author: string): readonly string[] => [
  ...[plain, changed, unpublished, 'changed', 'unpublished', CANARY].flatMap((address) => [
    `/api/${key}/${address}`,
    `/api/${key}/${address}?draft=true`,
    `/api/${key}/${address}?draft=true&locale=all`,
    `/api/${key}/${address}?draft=true&include=related&select=title,related.name`,
  ]),
  ...['', 'draft=true'].flatMap((more) => [
    `/api/${key}?${more}`,
    `/api/${key}?limit=0&${more}`,
    `/api/${key}?sort=title&${more}`,
    `/api/${key}?locale=de&${more}`,
    `/api/${key}?q=${CANARY}&${more}`,
    `/api/${key}?status=draft&${more}`,
    `/api/${key}?status=draft,published&${more}`,
    `/api/${key}?where[topic][eq]=${CANARY}&${more}`,
    `/api/${key}?where[status][ne]=published&${more}`,
    `/api/${key}?aggregate=count:topic,count:status&${more}`,
    `/api/${key}?include=related&${more}`,
  ]),
  `/api/authors/${author}?include=${key}`,
  `/api/authors?include=${key}`,
  `/api/authors/${author}/references`,
  `/api/${key}/${changed}/references`,
  `/api/${key}/${unpublished}/references`,
  `/api/${key}/${changed}/versions`,
  `/api/${key}/${unpublished}/versions`,
  `/api/cms/search?q=${CANARY}`,
  `/api/cms/search?q=unpublished`,
  '/api/cms/drafts',
  '/api/cms/drafts?actor=ada',
  '/api/cms/schedules',
  `/api/cms/changes?collections=${key}`,
  `/api/cms/journal?collections=${key}`,
]

describe.each(POLICY_STORES)('drafts of other authors on $name', (store) => {
  let place: Place
  let service: Awaited<ReturnType<Place['open']>>
  let readToken: string
  let author: string
  const written = new Map<Key, Written>()
  /** The revisions of versions that only their authors may read, by collection. */
  const drafted = new Map<Key, readonly string[]>()
  /** The responses to each caller before any draft was written, by caller and path. */
  const before = new Map<string, string>()

  const send = (method: string, path: string, as: string, json?: unknown): Promise<Response> =>
    service.fetch(
      new Request(`http://cms.example${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${as}`,
          ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      }),
    )

  async function write(method: string, path: string, as: string, json?: unknown) {
    const response = await send(method, path, as, json)
    const text = await response.text()
    expect(response.ok, `${method} ${path}: ${text}`).toBe(true)
    return { id: String(text && JSON.parse(text).id), seq: response.headers.get('Daybook-Seq') ?? '' }
  }

  /** Reads a response, without parts that differ for each request. */
  async function read(path: string, as: string): Promise<string> {
    const response = await send('GET', path, as)
    const text = (await response.text()).replaceAll(/"(?:requestId|next)":(?:"[^"]*"|\d+)/g, '')
    return `${response.status} ${text}`
  }

  const strangers = (): Readonly<Record<string, string>> => ({ ines: 'ines', sam: 'sam', token: readToken })

  beforeAll(async () => {
    place = await store.at()
    service = await place.open(config)
    const records = await place.store()
    const rights = { scopes: ['*:read'], roles: ['reader'], expiresAt: null } as const
    readToken = (await new ApiTokens(records.records).create({ name: 'site', ...rights })).token
    await records.close()
    author = (await write('POST', '/api/authors', 'ada', { name: 'Ada' })).id
    for (const key of COLLECTIONS) {
      const publish = async (
        title: string,
        versions: readonly object[],
      ): Promise<{ id: string; revisions: string[] }> => {
        const first = await write('POST', `/api/${key}`, 'ada', { title, related: author, ...versions[0] })
        const second = await write('PUT', `/api/${key}/${first.id}`, 'ada', versions[1] ?? { topic: 'plain' })
        await write('POST', `/api/${key}/${first.id}/publish`, 'ada')
        await write('PUT', `/api/${key}/${first.id}`, 'ada', { title, topic: 'plain', body: 'Published.' })
        return { id: first.id, revisions: [first.seq, second.seq] }
      }
      const plain = await publish('Plain', [])
      const changed = await publish('Changed', [{ body: CANARY }, { topic: CANARY, body: CANARY }])
      written.set(key, { plain: plain.id, changed: changed.id, unpublished: '00000000-0000-7000-8000-000000000000' })
      drafted.set(key, changed.revisions)
      for (const [name, as] of Object.entries(strangers()))
        for (const path of doors(key, written.get(key) as Written, author))
          before.set(`${name} ${path}`, await read(path, as))
    }
    for (const key of COLLECTIONS) {
      const { changed } = written.get(key) as Written
      const draft = await write('PUT', `/api/${key}/${changed}?draft=true`, 'ada', { title: CANARY, body: CANARY })
      await write('PUT', `/api/${key}/${changed}?draft=true&locale=de`, 'ada', { title: `${CANARY} de` })
      await write('POST', `/api/${key}/${changed}/publish`, 'ada', { publishAt: '2999-01-01T00:00:00Z' })
      const hidden = { title: 'Unpublished', body: CANARY, topic: CANARY, related: author }
      const { id } = await write('POST', `/api/${key}`, 'omar', hidden)
      await write('PUT', `/api/${key}/${id}?draft=true`, 'ada', { title: CANARY })
      written.set(key, { ...(written.get(key) as Written), unpublished: id })
      drafted.set(key, [...(drafted.get(key) ?? []), draft.seq])
    }
  })
  afterAll(async () => {
    await service?.close()
    await place?.[Symbol.asyncDispose]()
  })

  const cells = COLLECTIONS.flatMap((key) => (['ines', 'sam', 'token'] as const).map((name) => ({ key, name })))

  test.each(cells)('$key: they change no response to $name', async ({ key, name }) => {
    const as = strangers()[name] ?? ''
    const now = written.get(key) as Written
    const paths = doors(key, now, author)
    const former = doors(key, { ...now, unpublished: '00000000-0000-7000-8000-000000000000' }, author)
    for (const [index, path] of paths.entries()) {
      const response = await read(path, as)
      expect(response, path).toBe(before.get(`${name} ${former[index]}`))
      expect(response.replaceAll(/"(?:path|message)":"[^"]*"/g, ''), path).not.toContain(CANARY)
    }
  })

  test.each(cells)(
    '$key: $name reads none of their versions, nor versions before publication',
    async ({ key, name }) => {
      const as = strangers()[name] ?? ''
      const { changed } = written.get(key) as Written
      for (const revision of drafted.get(key) ?? []) {
        expect((await read(`/api/${key}/${changed}/versions/${revision}`, as)).slice(0, 3)).toBe('404')
      }
      const { items } = JSON.parse((await read(`/api/${key}/${changed}/versions`, as)).slice(4)) as {
        readonly items: readonly { readonly revision: number }[]
      }
      expect(items.length).toBe(2)
      for (const { revision } of items) {
        const path = `/api/${key}/${changed}/versions/${revision}`
        expect(await read(path, as)).toContain('Changed')
        for (const hidden of drafted.get(key) ?? [])
          expect((await read(`${path}?against=${hidden}`, as)).slice(0, 3)).toBe('404')
      }
    },
  )

  test.each(COLLECTIONS)('%s: they are in no live stream', async (key) => {
    const { changed } = written.get(key) as Written
    const all = await read(`/api/cms/changes`, 'sam')
    expect(all).not.toContain(CANARY)
    expect(all).toContain(changed)
  })

  test.each(COLLECTIONS)('%s: callers who may see them do, at each path', async (key) => {
    const { changed, unpublished } = written.get(key) as Written
    for (const as of ['ada', ...(key === 'byDraftRule' ? ['rita'] : [])]) {
      expect(await read(`/api/${key}/${changed}?draft=true`, as)).toContain(`"title":"${CANARY}"`)
      expect(await read(`/api/${key}/${unpublished}`, as)).toContain('Unpublished')
      expect(await read(`/api/${key}?draft=true&sort=title`, as)).toContain(`"title":"${CANARY}"`)
      expect(await read(`/api/${key}?status=draft`, as)).toContain('"total":1')
      expect(await read(`/api/${key}?q=${CANARY}`, as)).toContain('"total":1')
      expect(await read(`/api/cms/drafts`, as)).toContain(`"collection":"${key}"`)
      expect(await read(`/api/cms/schedules`, as)).toContain(`"collection":"${key}"`)
      for (const revision of drafted.get(key) ?? [])
        expect(await read(`/api/${key}/${changed}/versions/${revision}`, as)).toContain(CANARY)
      expect(await read(`/api/cms/journal?collections=${key}`, as)).toContain('"action":"draft"')
    }
  })

  test('a contributor sees only the drafts that the rule lets her update', async () => {
    for (const key of ['byWhere', 'byEntry'] as const) {
      const { unpublished } = written.get(key) as Written
      expect(await read(`/api/${key}/${unpublished}`, 'omar')).toContain('Unpublished')
      expect(await read(`/api/${key}/${unpublished}?draft=true`, 'omar')).toContain(`"title":"${CANARY}"`)
      expect(await read(`/api/${key}/${unpublished}/versions`, 'omar')).toContain('"action":"draft"')
      expect(await read(`/api/cms/drafts`, 'omar')).toContain(`"collection":"${key}"`)
    }
    // A rule that depends on the entry cannot narrow a list.
    expect(await read('/api/byWhere?status=draft', 'omar')).toContain('"total":1')
    expect(await read('/api/byEntry?status=draft', 'omar')).toContain('"total":0')
  })

  test.each(['ines', 'sam'])('%s may not write, publish or preview drafts that she does not see', async (as) => {
    // Every session may update these entries; only reviewers see their drafts.
    const { changed } = written.get('byDraftRule') as Written
    const path = `/api/byDraftRule/${changed}`
    const revision = Number(drafted.get('byDraftRule')?.[0])
    const requests = [
      ['PUT', `${path}?draft=true`, { topic: 'x' }],
      ['PATCH', `${path}?draft=true`, { topic: 'x' }],
      ['DELETE', `${path}?draft=true`],
      ['POST', `${path}/publish`],
      ['POST', `${path}/publish`, { publishAt: '2999-01-01T00:00:00Z' }],
      ['POST', `${path}/restore`, { revision }],
      ['POST', `${path}/preview`],
      ['DELETE', `${path}/preview`],
      ['DELETE', `${path}/schedule`],
      ['POST', `${path}/presence`],
    ] as const
    for (const [method, address, json] of requests)
      expect((await send(method, address, as, json)).status, `${method} ${address}`).toBe(403)
    for (const op of ['publish', 'restore'] as const) {
      const data = op === 'restore' ? { data: { revision } } : {}
      const operations = [{ op, collection: 'byDraftRule', id: changed, ...data }]
      expect((await send('POST', '/api/cms/batch', as, { operations })).status, op).toBe(403)
    }
  })
})
