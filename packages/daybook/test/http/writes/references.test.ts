import { type AuthAdapter, defineCollection, defineConfig, f, type Identity } from 'daybook'
import { describe, expect, test } from 'vitest'
import { kitchen } from '../../support/configs/configs.ts'
import { library } from '../../support/configs/library.ts'
import { runScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { batch, create, get, put, refused, remove } from '../../support/scenarios/steps.ts'
import { STORES } from '../../support/stores/stores.ts'

const referencesOf = (path: string, body: object, extra: Partial<Step> = {}): Step =>
  get(path, { auth: true, body, ...extra })

const IDS: readonly Step[] = [
  ['people', 'ann'],
  ['people', 'bob'],
  ['people', 'cyd'],
  ['companies', 'acme'],
  ['books', 'a'],
  ['books', 'b'],
  ['books', 'd'],
  ['books', 'e'],
].map(([collection, slug]) => get(`/api/${collection}/${slug}`, { auth: true, keep: { [String(slug)]: '/id' } }))

runScenarios('references to an entry', [
  {
    name: 'are listed with their fields, including unpublished entries, in a stable order',
    config: library,
    steps: [
      ...IDS,
      referencesOf('/api/companies/{acme}/references', {
        total: 4,
        limit: 20,
        offset: 0,
        items: [
          { collection: 'books', id: '{a}', field: 'parts.firms' },
          { collection: 'books', id: '{a}', field: 'picks' },
          { collection: 'books', id: '{a}', field: 'publisher' },
          { collection: 'people', id: '{ann}', field: 'employer' },
        ],
      }),
      referencesOf('/api/people/{cyd}/references', {
        total: 5,
        items: [
          { id: '{a}', field: 'credits.who' },
          { id: '{a}', field: 'meta.readers' },
          { id: '{a}', field: 'parts.by' },
          { id: '{d}', field: 'author' },
          { id: '{d}', field: 'authors' },
        ],
      }),
      referencesOf('/api/books/{b}/references', { total: 0, items: [] }),
    ],
  },
  {
    name: 'count a field once, even if it refers several times',
    config: library,
    steps: [
      ...IDS,
      put('/api/books/{b}', { credits: [{ who: '{cyd}' }, { who: '{cyd}' }], author: null, authors: [], meta: null }),
      referencesOf('/api/people/{cyd}/references?offset=5', { total: 6, items: [{ id: '{d}', field: 'authors' }] }),
      referencesOf('/api/people/{cyd}/references?offset=3&limit=1', { items: [{ id: '{b}', field: 'credits.who' }] }),
    ],
  },
  {
    name: 'follow every change, also of globals',
    config: library,
    steps: [
      ...IDS,
      put('/api/globals/front', { book: '{b}', shelf: ['{b}'], inner: { book: '{b}' } }),
      referencesOf('/api/books/{b}/references', {
        total: 3,
        items: [{ collection: 'globals', id: 'front', field: 'book' }, { field: 'inner.book' }, { field: 'shelf' }],
      }),
      put('/api/globals/front', { shelf: [], inner: null }),
      referencesOf('/api/books/{b}/references', { total: 1 }),
      put('/api/globals/front', { book: null }),
      referencesOf('/api/books/{b}/references', { total: 0 }),
      referencesOf('/api/people/{bob}/references', { total: 6 }),
      remove('/api/books/{b}'),
      referencesOf('/api/people/{bob}/references', { total: 3 }),
    ],
  },
  {
    name: 'come in pages',
    config: kitchen,
    steps: [
      create('things', { title: 'goal' }, { keep: { goal: '/id' } }),
      batch(
        Array.from({ length: 130 }, (_, index) => ({
          op: 'create',
          collection: 'things',
          data: { title: `t${index}`, parent: '{goal}' },
        })),
      ),
      referencesOf('/api/things/{goal}/references', {
        total: 130,
        limit: 20,
        items: Array.from({ length: 20 }, () => ({})),
      }),
      referencesOf('/api/things/{goal}/references?limit=1000', {
        limit: 100,
        items: Array.from({ length: 100 }, () => ({})),
      }),
      referencesOf('/api/things/{goal}/references?limit=100&offset=100', {
        offset: 100,
        items: Array.from({ length: 30 }, () => ({})),
      }),
      referencesOf('/api/things/{goal}/references?limit=0', { total: 130, limit: 0, items: [] }),
      referencesOf('/api/things/{goal}/references?offset=1000000', { total: 130, items: [] }),
      ...['limit=-1', 'limit=x', 'offset=1.5', 'limit=1&limit=2', 'sort=id', 'q=x', 'cursor=x'].map((query) =>
        refused(`/api/things/{goal}/references?${query}`, query.split('=')[0] as string, { auth: true }),
      ),
    ],
  },
  {
    name: 'need a session and the id of an entry',
    config: library,
    steps: [
      ...IDS,
      get('/api/people/{ann}/references', { status: 401 }),
      get('/api/people/01a1f9d5-ddca-7255-9a37-e7bf8ce09df2/references', { status: 401 }),
      referencesOf('/api/people/01a1f9d5-ddca-7255-9a37-e7bf8ce09df2/references', {}, { status: 404 }),
      referencesOf('/api/people/ann/references', {}, { status: 404 }),
      referencesOf('/api/books/{ann}/references', {}, { status: 404 }),
      referencesOf('/api/nobody/{ann}/references', {}, { status: 404 }),
      referencesOf('/api/people/{ann}/references/', {}, { status: 404 }),
      referencesOf('/api/people/{ann}/References', {}, { status: 404 }),
      referencesOf('/api/people/{ann}/references', {}, { responseHeaders: { 'Cache-Control': 'private, no-store' } }),
      get('/api/people/{ann}/references', { method: 'HEAD', auth: true }),
      remove('/api/people/{ann}/references', { status: 405 }),
      get('/api/people/{ann}/references', {
        method: 'OPTIONS',
        status: 204,
        responseHeaders: { Allow: 'GET, HEAD, OPTIONS' },
      }),
    ],
  },
])

/** Accepts every token as the name of a caller. */
const people: AuthAdapter = {
  getCapabilities: () => ({ provider: 'test', providerRoutes: { enabled: false } }),
  getPrincipal: async ({ headers }) => ({ id: personOf(headers).subject }),
  getIdentity: async ({ headers }) => personOf(headers),
}

function personOf(headers: Headers): Identity {
  const subject = (headers.get('authorization') ?? '').replace('Bearer ', '')
  return { provider: 'test', subject, sessionId: '1', actorType: 'human', expiresAt: null, claims: {}, roles: [] }
}

describe.each(STORES)('references to an entry on $name, for a session with limited rights', (store) => {
  const vault = { access: { read: ({ identity }: { identity: Identity | null }) => identity?.subject === 'keeper' } }
  const config = defineConfig({
    auth: people,
    collections: {
      targets: defineCollection({ fields: { name: f.text() } }),
      vault: defineCollection({ ...vault, fields: { target: f.relation('targets') } }),
    },
  })

  test('are limited to entries that the caller may read, and references to hidden entries are forbidden', async () => {
    await using service = await store.open(config)
    const call = async (who: string, method: string, path: string, json?: object): Promise<Response> =>
      service.request(path, {
        method,
        headers: { Authorization: `Bearer ${who}`, 'Content-Type': 'application/json' },
        ...(json ? { body: JSON.stringify(json) } : {}),
      })
    const createEntry = async (path: string, json: object): Promise<string> =>
      String(((await (await call('keeper', 'POST', path, json)).json()) as { id: string }).id)
    const id = await createEntry('/api/targets', { name: 'x' })
    const vaultEntry = await createEntry('/api/vault', { target: id })
    expect((await call('guest', 'GET', `/api/vault/${vaultEntry}`)).status).toBe(403)
    expect(await (await call('keeper', 'GET', `/api/targets/${id}/references`)).json()).toMatchObject({ total: 1 })
    expect(await (await call('guest', 'GET', `/api/targets/${id}/references`)).json()).toMatchObject({
      total: 0,
      items: [],
    })
    expect((await call('guest', 'GET', `/api/vault/${vaultEntry}/references`)).status).toBe(403)
  })
})
