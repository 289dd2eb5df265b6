import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { as } from '../../support/auth/people.ts'
import { peopleShown as config, people } from '../../support/configs/people-shown.ts'
import { parseBody, sendRequest } from '../../support/scenarios/client.ts'
import { runPolicyScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { batch, create, get, patch, put, refused, remove, slugs } from '../../support/scenarios/steps.ts'
import { exportOf } from '../../support/stores/export.ts'
import { POLICY_STORES, type StoredService } from '../../support/stores/stores.ts'

const ofAnn = { createdBy: 'ann', updatedBy: 'ann' }
const hidden = { lacks: ['createdBy', 'updatedBy', 'ann', 'bob'] }

/** A post by Ann that Bob has changed, and one by Bob that refers to it. */
const POSTS: readonly Step[] = [
  as('ann', create('posts', { title: 'First' }, { keep: { first: '/id' }, body: ofAnn })),
  as('bob', put('/api/posts/{first}', { title: 'Second' }, { body: { createdBy: 'ann', updatedBy: 'bob' } })),
  as('bob', create('posts', { title: 'Third', next: '{first}' }, { keep: { third: '/id' } })),
]

runPolicyScenarios('the authors of a document', [
  {
    name: 'are in every response with a session',
    config,
    steps: [
      ...POSTS,
      as('ada', get('/api/posts/first', { body: { createdBy: 'ann', updatedBy: 'bob' } })),
      as('ada', get('/api/posts/{first}?locale=de', { body: { createdBy: 'ann', updatedBy: 'bob' } })),
      as('ada', get('/api/posts/{first}?locale=all', { body: { title: { en: 'Second' }, createdBy: 'ann' } })),
      as('ada', get('/api/posts?sort=title', { body: { items: [{ updatedBy: 'bob' }, { createdBy: 'bob' }] } })),
      as('ada', get('/api/posts?q=second', { body: { items: [{ createdBy: 'ann' }] } })),
      as('ada', get('/api/posts/third?include=next', { body: { createdBy: 'bob', next: { createdBy: 'ann' } } })),
      as('ada', get('/api/posts/third?include=next&select=next.updatedBy', { body: { next: { updatedBy: 'bob' } } })),
      as('ada', get('/api/posts/first?select=updatedBy', { exactly: { id: '{first}', updatedBy: 'bob' } })),
      as('ada', patch('/api/posts/{first}', { title: 'Again' }, { body: { createdBy: 'ann', updatedBy: 'ada' } })),
      as(
        'ada',
        put('/api/posts/{first}?locale=de', { title: 'Zweite' }, { body: { createdBy: 'ann', updatedBy: 'ada' } }),
      ),
      as(
        'bob',
        batch([{ op: 'create', collection: 'posts', data: { title: 'Fourth' } }], {
          body: { results: [{ entry: { createdBy: 'bob' } }] },
        }),
      ),
    ],
  },
  {
    name: 'are the service for its token, and null without a session',
    config,
    steps: [
      create('posts', { title: 'By a program' }, { body: { createdBy: 'service', updatedBy: 'service' } }),
      create('posts', { title: 'By anyone' }, { auth: false, ...hidden }),
      as('ada', get('/api/posts/by-anyone', { body: { createdBy: null, updatedBy: null } })),
      as('ada', get('/api/posts?where[createdBy][exists]=false', { body: { total: 1, ...slugs('by-anyone') } })),
    ],
  },
  {
    name: 'can be filtered and sorted by with a session, null included',
    config,
    steps: [
      ...POSTS,
      create('posts', { title: 'By anyone' }, { auth: false }),
      as('ada', get('/api/posts?where[createdBy][eq]=ann', { body: { total: 1, ...slugs('first') } })),
      as(
        'ada',
        get('/api/posts?where[createdBy][ne]=ann&sort=slug', { body: { total: 2, ...slugs('by-anyone', 'third') } }),
      ),
      as('ada', get('/api/posts?where[updatedBy][in]=ann,bob&sort=-slug', { body: { ...slugs('third', 'first') } })),
      as('ada', get('/api/posts?where[next.createdBy][eq]=ann', { body: { total: 1, ...slugs('third') } })),
      as('ada', get('/api/posts?sort=createdBy', { body: { ...slugs('by-anyone', 'first', 'third') } })),
      as('ada', get('/api/posts?sort=-createdBy', { body: { ...slugs('third', 'first', 'by-anyone') } })),
      as('ada', get('/api/posts?sort=createdBy&limit=1', { body: slugs('by-anyone'), keep: { next: '/nextCursor' } })),
      as('ada', get('/api/posts?sort=createdBy&limit=1&cursor={next}', { body: slugs('first') })),
      as('ada', get('/api/posts?locale=de&where[createdBy][eq]=ann&sort=updatedBy', { body: { total: 1 } })),
    ],
  },
  {
    name: 'do not exist without a session',
    config,
    steps: [
      ...POSTS,
      get('/api/posts/first', hidden),
      get('/api/posts', hidden),
      get('/api/posts?q=second', hidden),
      get('/api/posts/third?include=next', hidden),
      get('/api/posts/third?include=next&locale=de', hidden),
      refused('/api/posts?where[createdBy][eq]=ann', 'where[createdBy]'),
      refused('/api/posts?where[next.createdBy][eq]=ann', 'where[next.createdBy]'),
      refused('/api/posts?sort=createdBy', 'sort'),
      refused('/api/posts?select=createdBy', 'select'),
      refused('/api/posts/third?include=next&select=next.createdBy', 'select'),
      get('/openapi.json', { lacks: ['createdBy":{"type":["string","null"],"readOnly":true},"updatedBy"'] }),
      create(
        'posts',
        { title: 'A', createdBy: 'ann' },
        { auth: false, status: 400, body: { code: 'VALIDATION_ERROR' } },
      ),
    ],
  },
  {
    name: 'are ignored in writes, so that a read document can be written back',
    config,
    steps: [
      as(
        'ann',
        create('posts', { title: 'A', createdBy: 'bob', updatedBy: 'bob' }, { keep: { id: '/id' }, body: ofAnn }),
      ),
      as(
        'bob',
        put('/api/posts/{id}', { title: 'B', createdBy: 'bob' }, { body: { createdBy: 'ann', updatedBy: 'bob' } }),
      ),
      as('ada', put('/api/posts/{id}', { createdBy: 'ada', updatedBy: 'ada' }, { body: { updatedBy: 'bob' } })),
    ],
  },
  {
    name: 'are visible to everyone or to some callers, as the config says',
    config,
    steps: [
      as('ann', create('signed', { title: 'Signed' }, { keep: { signed: '/id' } })),
      get('/api/signed/signed', { body: ofAnn }),
      get('/api/signed?where[createdBy][eq]=ann&sort=updatedBy', { body: { total: 1, items: [ofAnn] } }),
      as('ann', create('quiet', { title: 'Quiet' }, { keep: { quiet: '/id' }, ...hidden })),
      as('bob', get('/api/quiet/{quiet}', hidden)),
      as('bob', { path: '/api/quiet?sort=createdBy', status: 400 }),
      as('bob', put('/api/quiet/{quiet}', { createdBy: 'bob' }, { status: 400 })),
      as('ada', get('/api/quiet/{quiet}', { body: ofAnn })),
      as('ada', get('/api/quiet?where[updatedBy][eq]=ann', { body: { total: 1 } })),
    ],
  },
  {
    name: 'can be used in rules, also for callers who cannot see them',
    config,
    steps: [
      as('ann', create('own', { title: 'Anns' }, { keep: { anns: '/id' }, ...hidden })),
      as('bob', create('own', { title: 'Bobs' })),
      as('ann', get('/api/own', { body: { total: 1, items: [{ title: 'Anns' }] }, ...hidden })),
      as('bob', get('/api/own/{anns}', { status: 404 })),
      as('bob', put('/api/own/{anns}', { title: 'Mine' }, { status: 404 })),
      as('ann', put('/api/own/{anns}', { title: 'Still mine' })),
      as('ann', remove('/api/own/{anns}')),
      get('/api/own', { status: 401 }),
    ],
  },
  {
    name: 'are in globals',
    config,
    steps: [
      as('ann', get('/api/globals/site', { body: { name: null, createdBy: null, updatedBy: null } })),
      as('ann', put('/api/globals/site', { name: 'Daybook' }, { body: ofAnn })),
      as(
        'bob',
        put('/api/globals/site?locale=de', { name: 'Tagebuch' }, { body: { createdBy: 'ann', updatedBy: 'bob' } }),
      ),
      as('ada', get('/api/globals/site?locale=de', { body: { name: 'Tagebuch', updatedBy: 'bob' } })),
      as('ada', get('/api/globals/site?select=createdBy', { exactly: { key: 'site', createdBy: 'ann' } })),
      get('/api/globals/site', { body: { name: 'Daybook' }, ...hidden }),
      { path: '/api/globals/site?select=createdBy', status: 400 },
      as('ann', put('/api/globals/imprint', { name: 'Ann' })),
      get('/api/globals/imprint', { exactly: { key: 'imprint', name: 'Ann', ...ofAnn } }),
    ],
  },
  {
    name: 'change the tag of a response, and every tag identifies the revision',
    config,
    steps: [
      as('ann', create('posts', { title: 'A' }, { keep: { id: '/id', told: 'ETag' } })),
      get('/api/posts/a', { keep: { untold: 'ETag' } }),
      get('/api/posts/a', { status: 200, headers: { 'If-None-Match': '{told}' } }),
      get('/api/posts/a', { status: 304, headers: { 'If-None-Match': '{untold}' } }),
      as('ann', get('/api/posts/a', { status: 304, headers: { 'If-None-Match': '{told}' } })),
      as('ann', put('/api/posts/{id}', { title: 'B' }, { headers: { 'If-Match': '{untold}' } })),
    ],
  },
])

describe.each(POLICY_STORES)('an idempotent response on $name', (store) => {
  test('is not returned to a caller who can no longer see all of it', async () => {
    await using service = await store.open(config)
    const headers = { Authorization: 'Bearer cleo', 'Idempotency-Key': 'one', 'Content-Type': 'application/json' }
    const post = () => service.request('/api/quiet', { method: 'POST', headers, body: '{"title":"A"}' })
    people.promote('cleo', 'editor')
    expect(await (await post()).json()).toMatchObject({ createdBy: 'cleo' })
    expect((await post()).status).toBe(201)
    people.promote('cleo', 'contributor')
    expect((await post()).status).toBe(422)
  })
})

describe.each(POLICY_STORES)('an export on $name', (store) => {
  test('has the authors of documents, unless the request excludes them', async () => {
    await using service = await store.open(config, { export: true })
    const caller = people.caller('ann')
    await service.content.as(caller).create('posts', { title: 'A' })
    await service.content.as(caller).writeGlobal('site', { name: 'A' })
    const [, entry, global] = await exportOf(service)
    expect([entry, global]).toMatchObject([ofAnn, ofAnn])
    const withoutAuthors = await exportOf(service, '?people=false')
    expect(withoutAuthors).toHaveLength(4)
    expect(JSON.stringify(withoutAuthors)).not.toMatch(/createdBy|updatedBy|ann/)
  })
})

describe.each(POLICY_STORES)('the description of the service on $name', (store) => {
  let service: StoredService
  beforeAll(async () => {
    service = await store.open(config)
  })
  afterAll(() => service.close())

  const readAuthors = async (name: string, path: string): Promise<Readonly<Record<string, unknown>>> =>
    parseBody(
      await sendRequest(service, path, {
        auth: false,
        headers: name === '' ? {} : { Authorization: `Bearer ${name}` },
      }),
    )

  test('has authors in the OpenAPI document if the caller may see them', async () => {
    const keysFor = async (name: string) => {
      const { components } = (await readAuthors(name, '/openapi.json')) as {
        components: { schemas: Record<string, { properties: object }> }
      }
      return (['PostsEntrySelection', 'SignedEntrySelection', 'QuietEntrySelection', 'PostsWhere'] as const).filter(
        (schema) => Object.hasOwn(components.schemas[schema]?.properties ?? {}, 'createdBy'),
      )
    }
    expect(await keysFor('')).toEqual(['SignedEntrySelection'])
    expect(await keysFor('ann')).toEqual(['PostsEntrySelection', 'SignedEntrySelection', 'PostsWhere'])
    expect(await keysFor('ada')).toHaveLength(4)
  })

  test('has authors in the model', async () => {
    const model = async (name: string) => {
      const { collections } = (await readAuthors(name, '/api/cms/model')) as {
        collections: { key: string; systemFields: { key: string; sortable: boolean }[] }[]
      }
      const of = (key: string) =>
        collections.find((collection) => collection.key === key)?.systemFields.map((field) => field.key)
      return [of('posts'), of('quiet')]
    }
    const system = ['id', 'createdAt', 'updatedAt']
    expect(await model('ann')).toEqual([[...system, 'createdBy', 'updatedBy'], system])
    expect(await model('ada')).toEqual([
      [...system, 'createdBy', 'updatedBy'],
      [...system, 'createdBy', 'updatedBy'],
    ])
  })
})
