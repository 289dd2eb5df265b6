import { type AccessRule, defineCollection, defineConfig, f, hasRole } from 'daybook'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiTokens } from '../../../src/auth/api-tokens.ts'
import { People } from '../../support/auth/people.ts'
import { routesOf } from '../../support/scenarios/routes.ts'
import type { Place } from '../../support/stores/place.ts'
import { POLICY_STORES } from '../../support/stores/stores.ts'

const people = new People({ cleo: [], ines: ['contributor'], ann: ['editor'] })
const isEditor = hasRole('editor', 'service')
const isContributor = hasRole('contributor')

const publishedOrOwn: AccessRule = (request) => {
  const published = { status: { eq: 'published' } }
  if (isEditor(request)) return true
  return request.identity ? { or: [published, { createdBy: { eq: request.identity.subject } }] } : published
}
const drafts: AccessRule = (request) => isEditor(request) || (isContributor(request) && { status: { eq: 'draft' } })
const ownDrafts: AccessRule = (request) =>
  isEditor(request) ||
  (isContributor(request) &&
    request.identity !== null && { createdBy: { eq: request.identity.subject }, status: { eq: 'draft' } })

/** The rules of `docs/guides/contributors-and-editors.md`. */
const config = defineConfig({
  auth: people.adapter,
  collections: {
    articles: defineCollection({
      fields: {
        title: f.text({ required: true }),
        slug: f.slug({ from: 'title' }),
        status: f.status({ default: 'draft' }),
      },
      access: { read: publishedOrOwn, create: drafts, update: ownDrafts, delete: ownDrafts },
    }),
  },
})

/** A banned caller sends the credential of a session that has ended. */
const ROLES = ['anonymous', 'banned', 'reader', 'contributor', 'readToken', 'editor'] as const
type Role = (typeof ROLES)[number]
/** The status for each role, in the order of {@link ROLES}. */
type Statuses = readonly [number, number, number, number, number, number]

/**
 * `own`: an article of the contributor that was never published; `others`: a published one of the editor, with a draft and a schedule;
 * `unreadable`: one of the editor that was never published.
 */
const ARTICLES = ['own', 'others', 'unreadable'] as const
type Article = (typeof ARTICLES)[number]
type ByArticle = Readonly<Record<Article, Statuses>>

const read: ByArticle = {
  own: [404, 404, 404, 200, 404, 200],
  others: [200, 200, 200, 200, 200, 200],
  unreadable: [404, 404, 404, 404, 404, 200],
}
/** Reads that need a session. Without the right to see drafts, they return published content. */
const sessionRead = (done: number): ByArticle => ({
  own: [401, 401, 404, done, 404, done],
  others: [401, 401, done, done, done, done],
  unreadable: [401, 401, 404, 404, 404, done],
})
const write = (done: number, byContributor = done): ByArticle => ({
  own: [401, 401, 404, byContributor, 404, done],
  others: [401, 401, 403, 403, 403, done],
  unreadable: [401, 401, 404, 404, 404, done],
})
/** Bulk writes skip entries that the caller does not see. A caller who may write no entry at all is rejected. */
const bulkWrite: ByArticle = {
  own: [401, 401, 403, 200, 403, 200],
  others: [401, 401, 403, 403, 403, 200],
  unreadable: [401, 401, 403, 200, 403, 200],
}

interface SentRequest {
  readonly method: string
  /** The path after `/api/articles`; `:id` is the article, `:revision` the revision of its draft, or its first one. */
  readonly path: string
  readonly json?: object
  readonly expected: ByArticle
}

const get = (path: string, expected: ByArticle): SentRequest => ({ method: 'GET', path, expected })
const send = (method: string, path: string, expected: ByArticle, json?: object): SentRequest => ({
  method,
  path,
  expected,
  ...(json ? { json } : {}),
})

/** Every route about an entry, by operation, some with parameters that change their meaning. */
const REQUESTS: Readonly<Record<string, readonly SentRequest[]>> = {
  getEntry: [get('/:id', read), get('/:id?draft=true', sessionRead(200))],
  updateEntry: [
    send('PUT', '/:id', write(200), { title: 'x' }),
    send('PUT', '/:id?draft=true', write(200), { title: 'x' }),
    send('PUT', '/:id?dryRun=true', write(200), { title: 'x' }),
  ],
  patchEntry: [
    send('PATCH', '/:id', write(200), { title: 'x' }),
    send('PATCH', '/:id?draft=true', write(200), { title: 'x' }),
  ],
  deleteEntry: [
    send('DELETE', '/:id', write(204)),
    send('DELETE', '/:id?draft=true', write(204)),
    send('DELETE', '/:id?dryRun=true', write(204)),
  ],
  patchMany: [send('PATCH', '?where[id][eq]=:id', bulkWrite, { title: 'x' })],
  deleteMany: [send('DELETE', '?where[id][eq]=:id', bulkWrite)],
  // Contributors publish nothing, not even their own articles.
  publishEntry: [
    send('POST', '/:id/publish', write(200, 403)),
    send('POST', '/:id/publish', write(200, 403), { publishAt: '2999-01-01T00:00:00Z' }),
  ],
  unpublishEntry: [send('POST', '/:id/unpublish', write(200))],
  unscheduleEntry: [send('DELETE', '/:id/schedule', write(204))],
  restoreEntry: [send('POST', '/:id/restore', write(200), { revision: ':revision' })],
  previewEntry: [send('POST', '/:id/preview', write(201))],
  revokePreviewsOfEntry: [send('DELETE', '/:id/preview', write(204))],
  findReferences: [get('/:id/references', sessionRead(200))],
  listVersionsOfEntry: [get('/:id/versions', sessionRead(200))],
  // The version is a draft, or from before publication.
  getVersionOfEntry: [get('/:id/versions/:revision', { ...sessionRead(200), others: [401, 401, 404, 404, 404, 200] })],
  // Presence concerns the draft.
  enterEntry: [send('POST', '/:id/presence', write(200))],
  leaveEntry: [send('DELETE', '/:id/presence', write(204))],
}

/** Routes of a collection without an entry; see `drafts-of-others.test.ts`. */
const ABOUT_NO_ENTRY = ['listEntries', 'createEntry']

test('the matrix has every route about entries of a collection with drafts', async () => {
  const routes = (await routesOf(config)).filter(({ resource }) => resource?.key === 'articles')
  const operations = [...new Set(routes.map(({ operationId }) => operationId))]
  expect([...Object.keys(REQUESTS), ...ABOUT_NO_ENTRY].sort()).toEqual(operations.sort())
})

describe.each(POLICY_STORES)('access to drafts on $name', (store) => {
  let place: Place
  let service: Awaited<ReturnType<Place['open']>>
  let readToken = ''

  beforeAll(async () => {
    place = await store.at()
    service = await place.open(config)
    const stored = await place.store()
    const rights = { scopes: ['*:read'], roles: ['reader'], expiresAt: null } as const
    readToken = (await new ApiTokens(stored.records).create({ name: 'site', ...rights })).token
    await stored.close()
  })
  afterAll(async () => {
    await service?.close()
    await place?.[Symbol.asyncDispose]()
  })

  function request(role: Role, method: string, path: string, json?: object): Promise<Response> {
    const tokens: Readonly<Record<Role, string | undefined>> = {
      anonymous: undefined,
      banned: 'eve',
      reader: 'cleo',
      contributor: 'ines',
      readToken,
      editor: 'ann',
    }
    const headers = {
      ...(tokens[role] === undefined ? {} : { Authorization: `Bearer ${tokens[role]}` }),
      ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
    }
    const body = json === undefined ? {} : { body: JSON.stringify(json) }
    return service.fetch(new Request(`http://cms.example/api/articles${path}`, { method, headers, ...body }))
  }

  async function mustSend(role: Role, method: string, path: string, json?: object) {
    const response = await request(role, method, path, json)
    const text = await response.text()
    expect(response.ok, `${method} ${path}: ${text}`).toBe(true)
    return { id: String(text && JSON.parse(text).id), revision: Number(response.headers.get('Daybook-Seq')) }
  }

  /** Creates an article with a draft and a schedule, and finds its unpublished revision. */
  async function makeArticle(article: Article): Promise<{ readonly id: string; readonly revision: number }> {
    const created = await mustSend(article === 'own' ? 'contributor' : 'editor', 'POST', '', { title: 'Made' })
    if (article === 'others') await mustSend('editor', 'POST', `/${created.id}/publish`)
    await mustSend('editor', 'PUT', `/${created.id}?draft=true`, { title: 'Changed' })
    await mustSend('editor', 'POST', `/${created.id}/publish`, { publishAt: '2999-01-01T00:00:00Z' })
    return created
  }

  const cells = Object.entries(REQUESTS).flatMap(([operation, requests]) =>
    requests.flatMap((sent) => ARTICLES.map((article) => ({ operation, sent, article }))),
  )

  test.each(cells)('$operation: $sent.method $sent.path of $article', async ({ sent, article }) => {
    const statuses: number[] = []
    for (const role of ROLES) {
      const { id, revision } = await makeArticle(article)
      const path = sent.path.replace(':id', id).replace(':revision', String(revision))
      const json = sent.json && JSON.parse(JSON.stringify(sent.json).replace('":revision"', String(revision)))
      statuses.push((await request(role, sent.method, path, json)).status)
    }
    expect(statuses).toEqual(sent.expected[article])
  })
})
