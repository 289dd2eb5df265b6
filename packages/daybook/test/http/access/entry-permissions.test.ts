import { defineCollection, defineConfig, defineGlobal, f, hasRole } from 'daybook'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiTokens } from '../../../src/auth/api-tokens.ts'
import { People } from '../../support/auth/people.ts'
import { isEditor, ownDrafts, publishedOrOwn } from '../../support/configs/configs.ts'
import { requireEqual, requireSame } from '../../support/scenarios/require.ts'
import type { Place } from '../../support/stores/place.ts'
import { POLICY_STORES } from '../../support/stores/stores.ts'

const people = new People({ cleo: [], ines: ['contributor'], ann: ['editor'] })
const fields = {
  title: f.text({ required: true, localized: true }),
  slug: f.slug({ from: 'title', localized: true }),
  rank: f.integer({ access: { write: (request) => isEditor(request) } }),
  secret: f.text({ access: { read: (request) => isEditor(request) } }),
}
const status = f.status({ default: 'draft' })

/** One collection for each kind of rule. */
const config = defineConfig({
  auth: people.adapter,
  locales: { default: 'en', available: ['en', 'de'] },
  collections: {
    /** The rules of `docs/guides/contributors-and-editors.md`. */
    articles: defineCollection({
      fields: { ...fields, status },
      access: { read: publishedOrOwn, update: ownDrafts, delete: ownDrafts },
    }),
    plain: defineCollection({ fields: { ...fields, status } }),
    /** A rule that inspects the entry before and after the change. */
    plans: defineCollection({
      fields: { ...fields, status },
      access: {
        update: (request) => isEditor(request) || (request.identity !== null && request.entry?.status === 'draft'),
        delete: ({ entry, identity }) => identity?.subject === entry?.createdBy,
      },
    }),
    /** Only editors can change an entry twice: for others, no result of a write matches. */
    shared: defineCollection({
      fields: { ...fields, status },
      access: {
        update: (request) =>
          isEditor(request) || (request.identity !== null && { not: { updatedBy: { eq: request.identity.subject } } }),
      },
    }),
    /** Contributors change everything, and see no drafts. */
    reviewed: defineCollection({
      fields: { ...fields, status },
      access: { draft: isEditor, update: hasRole('contributor', 'editor', 'service') },
    }),
    /** Without a status, and open to everyone while the rank is low. */
    notes: defineCollection({
      fields,
      access: { update: (request) => isEditor(request) || { rank: { lt: 5 } }, delete: () => false },
    }),
    closed: defineCollection({ fields, access: { read: isEditor } }),
  },
  globals: {
    site: defineGlobal({ fields: { name: f.text(), motto: fields.rank }, access: { update: isEditor } }),
    vault: defineGlobal({ fields: { name: f.text() }, access: { read: isEditor } }),
  },
})

const CALLERS = ['anonymous', 'cleo', 'ines', 'token', 'ann'] as const
type Caller = (typeof CALLERS)[number]

/** Changes of an entry: method, rest of the path, and body. */
const STEPS = {
  publish: ['POST', '/publish', {}],
  publishGerman: ['POST', '/publish', { locales: ['de'] }],
  draft: ['PUT', '?draft=true', { title: 'Changed' }],
  translate: ['PUT', '?locale=de', { title: 'Deutsch' }],
  archive: ['PUT', '', { status: 'archived' }],
} as const

interface EntryState {
  /** The caller who creates the entry. */
  readonly by: Caller
  readonly data?: object
  /** Changes by Ann. */
  readonly steps: readonly (keyof typeof STEPS)[]
}

const STATES: readonly EntryState[] = [
  { by: 'ines', steps: ['draft'] },
  { by: 'ines', steps: ['publish', 'draft'] },
  { by: 'ann', steps: ['draft'] },
]
const MORE_STATES: readonly EntryState[] = [
  ...STATES,
  { by: 'ines', steps: [] },
  { by: 'ines', steps: ['translate', 'publishGerman'] },
  { by: 'ines', steps: ['archive'] },
]
const NOTES: readonly EntryState[] = [
  { by: 'ann', data: { rank: 1 }, steps: [] },
  { by: 'ann', data: { rank: 9 }, steps: [] },
]

const STATES_BY_COLLECTION = {
  articles: MORE_STATES,
  plain: STATES,
  plans: STATES,
  shared: STATES,
  reviewed: STATES,
  notes: NOTES,
}

interface TextResponse {
  readonly status: number
  readonly text: string
}

interface Permissions extends Readonly<Record<string, unknown>> {
  readonly statuses?: Readonly<Record<string, boolean>>
}

describe.each(POLICY_STORES)('permissions on one document on $name', (store) => {
  let place: Place
  let service: Awaited<ReturnType<Place['open']>>
  let token = ''

  beforeAll(async () => {
    place = await store.at()
    service = await place.open(config)
    const stored = await place.store()
    const rights = { scopes: ['articles:update', '*:read'], roles: ['editor'], expiresAt: null } as const
    token = (await new ApiTokens(stored.records).create({ name: 'site', ...rights })).token
    await stored.close()
  })
  afterAll(async () => {
    await service?.close()
    await place?.[Symbol.asyncDispose]()
  })

  async function send(caller: Caller, method: string, path: string, json?: object): Promise<TextResponse> {
    const headers = {
      ...(caller === 'anonymous' ? {} : { Authorization: `Bearer ${caller === 'token' ? token : caller}` }),
      ...(json ? { 'Content-Type': 'application/json' } : {}),
    }
    const init = { method, headers, ...(json ? { body: JSON.stringify(json) } : {}) }
    const response = await service.fetch(new Request(`http://cms.example/api${path}`, init))
    return { status: response.status, text: await response.text() }
  }

  const permissionsOn = (caller: Caller, query: string): Promise<TextResponse> =>
    send(caller, 'GET', `/cms/auth/permissions?${query}`)

  async function mustSend(...request: Parameters<typeof send>): Promise<TextResponse> {
    const response = await send(...request)
    requireSame(response.status < 300, true, `${request.join(' ')}: ${response.text}`)
    return response
  }

  async function createEntry(collection: string, { by, data, steps }: EntryState): Promise<string> {
    const { id } = JSON.parse((await mustSend(by, 'POST', `/${collection}`, { title: 'A title', ...data })).text)
    for (const step of steps) {
      const [method, path, json] = STEPS[step]
      await mustSend('ann', method, `/${collection}/${id}${path}`, json)
    }
    return id
  }

  /** Tries each write that has a permission. */
  async function tryWrites(caller: Caller, collection: string, id: string, permissions: Permissions) {
    const address = `/${collection}/${id}`
    const history = JSON.parse((await mustSend('ann', 'GET', `${address}/versions`)).text)
    const { revision } = history.items.at(-1)
    const isDone = async (method: string, path: string, json?: object): Promise<boolean> =>
      (await send(caller, method, `${address}${path}${path.includes('?') ? '&' : '?'}dryRun=true`, json)).status < 300
    const results: Record<string, unknown> = {
      read: true,
      update: await isDone('PUT', '', { title: 'Another title' }),
      delete: await isDone('DELETE', ''),
      restore: await isDone('POST', '/restore', { revision }),
      fields: permissions.fields,
    }
    if (permissions.statuses === undefined) return results
    const statuses: Record<string, boolean> = {}
    for (const value of ['draft', 'published', 'archived'])
      statuses[value] = await isDone('PUT', '', { title: 'Another title', status: value })
    const draft = await send(caller, 'GET', `${address}?draft=true`)
    const { hasDraft, status: shown } = JSON.parse(draft.text)
    const hasStoredDraft = JSON.parse((await mustSend('ann', 'GET', `${address}?draft=true`)).text).hasDraft
    // Without a draft, the permission is compared with that to save one.
    const isDraftKnown = hasStoredDraft || shown !== 'published'
    const saveDraft = await isDone('PUT', '?draft=true', { title: 'Another title' })
    return {
      ...results,
      draft: isDraftKnown ? draft.status < 300 && hasDraft === hasStoredDraft : permissions.draft,
      saveDraft,
      publish: await isDone('POST', '/publish', {}),
      unpublish: await isDone('POST', '/unpublish', {}),
      statuses,
    }
  }

  test.each(Object.entries(STATES_BY_COLLECTION))(
    'say what each write of an entry of %s would do',
    async (collection, states) => {
      for (const state of states) {
        const id = await createEntry(collection, state)
        for (const caller of CALLERS) {
          const what = `${collection} ${state.by} ${state.steps} for ${caller}`
          const { status: code, text } = await permissionsOn(caller, `collection=${collection}&id=${id}`)
          const read = await send(caller, 'GET', `/${collection}/${id}`)
          requireSame(code, read.status, what)
          if (code !== 200) continue
          const permissions = JSON.parse(text)
          requireEqual(permissions, await tryWrites(caller, collection, id, permissions), what)
        }
      }
    },
  )

  const problem = ({ status, text }: TextResponse) => {
    const { requestId: _, ...body } = JSON.parse(text)
    return { status, body }
  }

  test('list exactly the fields that the caller can read but not write', async () => {
    const id = await createEntry('plain', { by: 'ann', data: { secret: 'x' }, steps: [] })
    for (const query of [`collection=plain&id=${id}`, 'global=site'])
      for (const [caller, key] of [
        ['ines', 'rank'],
        ['ann', undefined],
      ] as const) {
        const { text } = await permissionsOn(caller, query)
        const closed = query === 'global=site' ? 'motto' : key
        expect(Object.keys(JSON.parse(text).fields)).toEqual(key && closed ? [closed] : [])
        expect(text).not.toContain('secret')
      }
  })

  test('have the update of a global', async () => {
    const rights = { read: true, fields: {} }
    const update = async (caller: Caller) => JSON.parse((await permissionsOn(caller, 'global=vault')).text)
    expect(await update('ann')).toEqual({ ...rights, update: true })
    for (const caller of CALLERS) {
      const { text } = await permissionsOn(caller, 'global=site')
      const { status } = await send(caller, 'PUT', '/globals/site?dryRun=true', { name: 'A name' })
      expect([caller, JSON.parse(text).update]).toEqual([caller, status === 200])
    }
  })

  test('of a document that the caller cannot read are those of a missing one', async () => {
    const missing = '01a1f9db-1852-753b-bd05-45f103990b36'
    const draft = await createEntry('articles', { by: 'ann', steps: [] })
    const closed = await createEntry('closed', { by: 'ann', steps: [] })
    for (const caller of ['anonymous', 'cleo', 'ines'] as const) {
      const sendRequest = async (query: string) => problem(await permissionsOn(caller, query))
      const unreadable = await sendRequest(`collection=articles&id=${draft}`)
      expect(unreadable.status).toBe(404)
      expect(unreadable).toEqual(await sendRequest(`collection=articles&id=${missing}`))
      const hidden = await sendRequest(`collection=closed&id=${closed}`)
      expect(hidden.status).toBe(400)
      expect(JSON.parse(JSON.stringify(hidden).replaceAll('closed', 'nothing'))).toEqual(
        await sendRequest(`collection=nothing&id=${closed}`),
      )
      const vault = await sendRequest('global=vault')
      expect(vault.status).toBe(400)
      expect(JSON.parse(JSON.stringify(vault).replaceAll('vault', 'nothing'))).toEqual(
        await sendRequest('global=nothing'),
      )
    }
  })

  test.each([
    ['id=01a1f9db-1852-753b-bd05-45f103990b36', 'collection', 'required'],
    ['collection=plain', 'id', 'required'],
    ['global=site&collection=plain', 'id', 'required'],
    ['global=site&id=x&collection=plain', 'global', 'exclusive'],
  ])('need one document: %s', async (query, path, code) => {
    const { status, body } = problem(await permissionsOn('ann', query))
    expect(status).toBe(400)
    expect(body.details.issues).toContainEqual(expect.objectContaining({ path, code }))
  })

  test('change no stored content, even if a result must be compared with a where', async () => {
    const id = await createEntry('articles', { by: 'ines', steps: ['draft'] })
    const before = await mustSend('ann', 'GET', `/articles/${id}/versions`)
    const { text } = await permissionsOn('ines', `collection=articles&id=${id}`)
    expect(JSON.parse(text)).toMatchObject({ update: true, saveDraft: true, publish: false, delete: true })
    expect(JSON.parse((await mustSend('ann', 'GET', `/articles/${id}/versions`)).text)).toEqual(JSON.parse(before.text))
  })

  test('do not depend on values: an incomplete draft has the permission to publish', async () => {
    const id = await createEntry('articles', { by: 'ines', steps: [] })
    await mustSend('ines', 'PUT', `/articles/${id}?draft=true`, { title: null })
    for (const [caller, publish] of [
      ['ines', false],
      ['ann', true],
    ] as const) {
      const { text } = await permissionsOn(caller, `collection=articles&id=${id}`)
      expect([caller, JSON.parse(text).publish]).toEqual([caller, publish])
    }
  })
})
