import { expect } from 'vitest'
import { kitchen } from '../../support/configs/configs.ts'
import { CANARY } from '../../support/scenarios/sane.ts'
import { runScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { batch, create, faults, get, patch, remove } from '../../support/scenarios/steps.ts'

const ABSENT = '01a1f9d5-ddca-7255-9a37-e7bf8ce09df2'

const createOp = (data: object, collection = 'things') => ({ op: 'create', collection, data })
const updateOp = (id: string, data: object, more: object = {}) => ({
  op: 'update',
  collection: 'things',
  id,
  data,
  ...more,
})
const deleteOp = (id: string, more: object = {}) => ({ op: 'delete', collection: 'things', id, ...more })

const count = (total: number): Step => get('/api/things?limit=0', { auth: true, body: { total } })

const TWO: readonly Step[] = [
  create('things', { title: 'One' }, { keep: { one: '/id', tag1: 'ETag' } }),
  create('things', { title: 'Two', code: 'AA2' }, { keep: { two: '/id', tag2: 'ETag', seq: 'Daybook-Seq' } }),
]

runScenarios('a batch', [
  {
    name: 'creates, updates and deletes in order, and returns the stored entries',
    config: kitchen,
    steps: [
      ...TWO,
      batch(
        [
          createOp({ title: 'Three' }),
          updateOp('{one}', { amount: 1 }),
          deleteOp('{two}'),
          createOp({ text: 'n' }, 'notes'),
        ],
        {
          body: {
            results: [
              { op: 'create', collection: 'things', entry: { title: 'Three', slug: 'three', count: 7 } },
              { op: 'update', collection: 'things', id: '{one}', entry: { title: 'One', amount: 1 } },
              { op: 'delete', collection: 'things', id: '{two}' },
              { op: 'create', collection: 'notes', entry: { text: 'n' } },
            ],
          },
          responseHeaders: { 'Daybook-First-Seq': '3', 'Daybook-Seq': '6', 'Cache-Control': 'private, no-store' },
          keep: { three: '/results/0/id', tag3: '/results/0/etag', tag1: '/results/1/etag' },
        },
      ),
      count(2),
      get('/api/things/three', { auth: true, body: { id: '{three}' }, responseHeaders: { ETag: '{tag3}' } }),
      get('/api/things/{one}', { auth: true, responseHeaders: { ETag: '{tag1}' }, body: { amount: 1 } }),
      get('/api/things/{two}', { status: 404 }),
      create('notes', { text: 'next' }, { responseHeaders: { 'Daybook-Seq': '7' } }),
    ],
  },
  {
    name: 'is visible to filters, counts and searches at once',
    config: kitchen,
    steps: [
      batch([createOp({ title: 'apple', kinds: ['a'] }), createOp({ title: 'apple pie', status: 'draft' })]),
      get('/api/things?q=apple', { body: { total: 1 } }),
      get('/api/things?q=apple', { auth: true, body: { total: 2 } }),
      get('/api/things?where[kinds][in]=a', { body: { total: 1, items: [{ slug: 'apple' }] } }),
    ],
  },
  {
    name: 'updates only the fields that it names, like PUT',
    config: kitchen,
    steps: [
      create('things', { title: 'T', amount: 1, seo: { title: 's', inner: { rank: 1 } } }, { keep: { id: '/id' } }),
      batch([updateOp('{id}', { seo: { title: 'x' } })], {
        body: { results: [{ entry: { amount: 1, seo: { title: 'x', inner: null } } }] },
      }),
    ],
  },
  {
    name: 'may write an entry several times: a later operation sees the result of an earlier one',
    config: kitchen,
    steps: [
      ...TWO,
      batch([updateOp('{one}', { amount: 1 }), updateOp('{one}', { flag: true })], {
        body: { results: [{ entry: { amount: 1 } }, { entry: { amount: 1, flag: true } }] },
      }),
      batch([updateOp('{one}', { title: 'Gone' }), deleteOp('{one}')]),
      get('/api/things/{one}', { status: 404 }),
      batch([deleteOp('{two}'), updateOp('{two}', { amount: 1 })], {
        status: 404,
        body: { details: { operation: 1 } },
      }),
      batch([deleteOp('{two}'), deleteOp('{two}')], { status: 404, body: { details: { operation: 1 } } }),
      batch([deleteOp('{two}'), createOp({ title: 'Two', code: 'AA2' })], {
        body: { results: [{}, { entry: { slug: 'two' } }] },
      }),
      count(1),
    ],
  },
  {
    name: 'numbers its changes consecutively, and returns the last number',
    config: kitchen,
    steps: [
      ...TWO,
      batch(
        Array.from({ length: 10 }, (_, index) => createOp({ title: `n${index}` })),
        { responseHeaders: { 'Daybook-Seq': '12' } },
      ),
      batch([createOp({ title: 'new' }), updateOp('{one}', { title: 'One' })], {
        responseHeaders: { 'Daybook-Seq': '13' },
      }),
      create('things', { title: 'after' }, { responseHeaders: { 'Daybook-Seq': '14' } }),
    ],
  },
  {
    name: 'without operations does nothing',
    config: kitchen,
    steps: [
      batch([], { exactly: { results: [] } }),
      create('things', { title: 'x' }, { responseHeaders: { 'Daybook-Seq': '1' } }),
    ],
  },
  {
    name: 'accepts at most 500 operations',
    config: kitchen,
    steps: [
      batch(Array.from({ length: 500 }, (_, index) => createOp({ text: `${index}` }, 'notes'))),
      get('/api/notes?limit=0', { body: { total: 500 } }),
      batch(
        Array.from({ length: 501 }, () => createOp({ text: 'x' }, 'notes')),
        faults('/operations'),
      ),
    ],
  },
])

runScenarios('a batch with a failing operation', [
  {
    name: 'stores nothing, and names the operation',
    config: kitchen,
    steps: [
      ...TWO,
      batch([createOp({ title: 'x' }), createOp({ title: '' })], {
        status: 400,
        body: { details: { operation: 1, issues: [{ path: '/operations/1/data/title', code: 'required' }] } },
      }),
      batch([createOp({ title: 'x' }), createOp({ title: 'y', nope: 1, seo: { nope: 2 } })], {
        status: 400,
        body: {
          details: {
            operation: 1,
            issues: [{ path: '/operations/1/data/nope' }, { path: '/operations/1/data/seo/nope' }],
          },
        },
      }),
      batch([updateOp('{one}', { title: null })], {
        status: 400,
        body: { details: { operation: 0, issues: [{ path: '/operations/0/data/title' }] } },
      }),
      batch([createOp({ title: 'x' }), createOp({ title: 'y', parent: ABSENT })], {
        status: 400,
        body: { details: { operation: 1, issues: [{ path: '/operations/1/data/parent', code: 'reference' }] } },
      }),
      batch([createOp({ title: 'x' }), updateOp(ABSENT, { title: 'y' })], {
        status: 404,
        body: { details: { operation: 1 } },
      }),
      batch([createOp({ title: 'x' }), createOp({ title: 'y', slug: 'two' })], {
        status: 409,
        body: { code: 'CONFLICT', details: { operation: 1, field: 'slug' } },
      }),
      batch([updateOp('{one}', { title: 'changed' }), createOp({ title: 'x', code: 'AA2' })], {
        status: 409,
        body: { details: { operation: 1, field: 'code' } },
      }),
      batch([deleteOp('{one}'), deleteOp('{two}', { ifMatch: '{tag1}' })], {
        status: 412,
        body: { code: 'PRECONDITION_FAILED', details: { operation: 1, current: '{tag2}' } },
      }),
      batch([createOp({ title: 'x' }), createOp({ title: 'y', data: { a: 'b\u0000' } })], { status: 400 }),
      batch([createOp({ title: 'x' }), { op: 'update', collection: 'archive', id: ABSENT, data: {} }], { status: 404 }),
      count(2),
      get('/api/things/{one}', { auth: true, responseHeaders: { ETag: '{tag1}' } }),
      create('things', { title: 'next' }, { responseHeaders: { 'Daybook-Seq': '3' } }),
    ],
  },
  {
    name: 'reports invalid requests before missing entries, whichever operation has them',
    config: kitchen,
    steps: [
      ...TWO,
      batch([deleteOp('two')], faults('/operations/0/id')),
      batch([deleteOp(ABSENT), updateOp('not-an-id', { title: 'y' })], {
        status: 400,
        body: {
          details: {
            issues: [
              {
                path: '/operations/1/id',
                code: 'format',
                message: 'operations.1.id must be the id of an entry, not its slug. GET by slug returns the id.',
              },
            ],
          },
        },
      }),
      batch([deleteOp(ABSENT), updateOp(ABSENT, { title: 5 })], {
        status: 400,
        body: { details: { operation: 1, issues: [{ path: '/operations/1/data/title' }] } },
      }),
      batch([updateOp(ABSENT, { title: 'y' }), createOp({ nope: 1 })], {
        status: 400,
        body: { details: { operation: 1 } },
      }),
      count(2),
    ],
  },
  {
    name: 'rejects a unique value that two of its operations set',
    config: kitchen,
    steps: [
      batch([createOp({ title: 'x', code: 'AA1' }), createOp({ title: 'y', code: 'AA1' })], {
        status: 409,
        body: { details: { operation: 1, field: 'code' } },
      }),
      batch([createOp({ title: 'x', slug: 's' }), createOp({ title: 'y', slug: 's' })], {
        status: 409,
        body: { details: { operation: 1, field: 'slug' } },
      }),
      count(0),
      batch([createOp({ title: 'Same' }), createOp({ title: 'Same' })], {
        body: { results: [{ entry: { slug: 'same' } }, { entry: { slug: 'same-2' } }] },
      }),
      count(2),
    ],
  },
  {
    name: 'distinguishes forbidden operations from missing entries',
    config: kitchen,
    steps: [
      create('archive', { title: 'a' }, { keep: { id: '/id' } }),
      batch([createOp({ title: 'x' }), { op: 'update', collection: 'archive', id: '{id}', data: { title: 'b' } }], {
        status: 403,
        body: { details: { operation: 1 } },
      }),
      batch([{ op: 'delete', collection: 'archive', id: '{id}' }], {
        status: 403,
        body: { details: { operation: 0 } },
      }),
      create('dossiers', { title: 'd', secret: CANARY }, { keep: { dossier: '/id' } }),
      batch([{ op: 'update', collection: 'dossiers', id: '{dossier}', data: { frozen: 'x' } }], {
        status: 403,
        body: { details: { operation: 0, issues: [{ path: '/operations/0/data/frozen' }] } },
      }),
      count(0),
    ],
  },
])

runScenarios('ifMatch in a batch', [
  {
    name: 'is compared like If-Match, with the result of the previous operations',
    config: kitchen,
    steps: [
      ...TWO,
      batch([updateOp('{one}', { amount: 1 }, { ifMatch: '{tag1}' })], { keep: { now: '/results/0/etag' } }),
      batch([updateOp('{one}', { amount: 2 }, { ifMatch: '{tag1}' })], {
        status: 412,
        body: { details: { current: '{now}' } },
      }),
      batch([updateOp('{one}', { amount: 2 }, { ifMatch: 'W/{now}' })], { status: 412 }),
      batch([updateOp('{one}', { amount: 2 }, { ifMatch: '"x", {now}' })], { keep: { now: '/results/0/etag' } }),
      batch([updateOp('{one}', { amount: 3 }, { ifMatch: '*' })], { keep: { now: '/results/0/etag' } }),
      batch([updateOp('{one}', { amount: 4 }), updateOp('{one}', { amount: 5 }, { ifMatch: '{now}' })], {
        status: 412,
        body: { details: { operation: 1 } },
      }),
      ...['x', '', 5, null, ['*'], '"open'].map((ifMatch) =>
        batch([updateOp('{one}', { amount: 9 }, { ifMatch })], faults('/operations/0/ifMatch')),
      ),
      batch([deleteOp('{one}', { ifMatch: '{now}' })]),
    ],
  },
  {
    name: 'is required if the collection requires it',
    config: kitchen,
    steps: [
      create('ledgers', { title: 'a' }, { keep: { id: '/id', tag: 'ETag' } }),
      batch([{ op: 'update', collection: 'ledgers', id: '{id}', data: { title: 'b' } }], {
        status: 428,
        body: { details: { operation: 0 } },
      }),
      batch([{ op: 'delete', collection: 'ledgers', id: '{id}' }], { status: 428 }),
      batch([{ op: 'update', collection: 'ledgers', id: '{id}', ifMatch: '{tag}', data: { title: 'b' } }]),
    ],
  },
])

runScenarios('the body of a batch', [
  {
    name: 'is a list of operations and nothing else',
    config: kitchen,
    steps: [
      ...['[]', '{}', 'null', '5', '{"operations":{}}', '{"operations":null}', '{"operations":[],"more":1}'].map(
        (raw): Step => ({
          method: 'POST',
          path: '/api/cms/batch',
          auth: true,
          raw,
          headers: { 'Content-Type': 'application/json' },
          status: 400,
          body: { details: { issues: [{ path: '/operations' }] } },
        }),
      ),
      ...(
        [
          [5, ''],
          [null, ''],
          [[], ''],
          [{}, '/op'],
          [{ op: 'upsert', collection: 'things', data: {} }, '/op'],
          [{ op: 'toString', collection: 'things', data: {} }, '/op'],
          [createOp({ title: 'x' }, 'nope'), '/collection'],
          [createOp({ title: 'x' }, 'globals'), '/collection'],
          [createOp({ title: 'x' }, '__proto__'), '/collection'],
          [{ op: 'create', data: { title: 'x' } }, '/collection'],
          [{ op: 'create', collection: ['things'], data: { title: 'x' } }, '/collection'],
          [{ op: 'create', collection: 'things', id: ABSENT, data: { title: 'x' } }, '/id'],
          [{ op: 'update', collection: 'things', data: {} }, '/id'],
          [{ op: 'update', collection: 'things', id: 5, data: {} }, '/id'],
          [{ op: 'delete', collection: 'things' }, '/id'],
          [{ op: 'create', collection: 'things' }, '/data'],
          [{ op: 'update', collection: 'things', id: ABSENT }, '/data'],
          [{ op: 'delete', collection: 'things', id: ABSENT, data: {} }, '/data'],
          [
            { op: 'create', collection: 'things', data: { title: 'x' }, createdAt: '2020-01-01T00:00:00Z' },
            '/createdAt',
          ],
        ] as const
      ).map(([operation, path]) => batch([createOp({ title: 'fine' }), operation], faults(`/operations/1${path}`))),
      ...[null, 5, 'x', []].map((data) =>
        batch([{ op: 'create', collection: 'things', data }], faults('/operations/0/data')),
      ),
      batch([5, { op: 'nope' }], faults('/operations/0', '/operations/1/op')),
      count(0),
    ],
  },
  {
    name: 'lists at most 100 issues',
    config: kitchen,
    steps: [
      batch(
        Array.from({ length: 500 }, () => 5),
        { status: 400, body: { details: { issues: Array.from({ length: 100 }, () => ({})) } } },
      ),
    ],
  },
  {
    name: 'is rejected with keys that reach a prototype, at any depth',
    config: kitchen,
    steps: [
      '{"operations":[{"op":"create","collection":"things","data":{"title":"x","__proto__":{"a":1}}}]}',
      '{"operations":[{"op":"create","collection":"things","__proto__":{"a":1},"data":{"title":"x"}}]}',
      '{"__proto__":{},"operations":[]}',
      `{"operations":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    ].map((raw) => ({
      method: 'POST',
      path: '/api/cms/batch',
      auth: true,
      raw,
      headers: { 'Content-Type': 'application/json' },
      status: 400,
      body: { code: 'VALIDATION_ERROR' },
    })),
  },
  {
    name: 'needs a session, JSON, POST, and no parameters',
    config: kitchen,
    steps: [
      batch([createOp({ title: 'x' })], { auth: false, status: 401 }),
      batch([createOp({ title: 'x' }, 'guestbook')], { auth: false, status: 401 }),
      batch([], { auth: false, status: 401 }),
      batch([], { headers: { 'Content-Type': 'text/plain' }, status: 415 }),
      batch([], { path: '/api/cms/batch?dry=1', status: 400 }),
      get('/api/cms/batch', { status: 405, responseHeaders: { Allow: /POST/ } }),
      patch('/api/cms/batch', {}, { status: 405 }),
      remove('/api/cms/batch', { status: 405 }),
      count(0),
    ],
  },
  {
    name: 'accepts entries as they were read',
    config: kitchen,
    steps: [
      create('things', { title: 'T', body: '*x*' }, { keep: { id: '/id', tag: 'ETag' } }),
      batch([updateOp('{id}', { id: 'x', createdAt: 'x', updatedAt: 'x', bodyHtml: 'x', title: 'T' })], {
        body: { results: [{ id: '{id}', etag: '{tag}', entry: { bodyHtml: '<p><em>x</em></p>' } }] },
      }),
      get('/api/things/{id}', {
        auth: true,
        responseHeaders: { ETag: '{tag}' },
        body: { createdAt: expect.any(String) },
      }),
    ],
  },
])
