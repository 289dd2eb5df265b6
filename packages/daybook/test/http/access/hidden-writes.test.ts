import {
  type DaybookConfig,
  DaybookError,
  defineCollection,
  defineConfig,
  defineGlobal,
  etagOf,
  f,
  hasRole,
} from 'daybook'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { as, People } from '../../support/auth/people.ts'
import { LOCALES } from '../../support/configs/locales.ts'
import { people, sealed, unsealed } from '../../support/configs/sealed.ts'
import { parseBody, type RequestOptions, sendRequest } from '../../support/scenarios/client.ts'
import { CANARY, expectNoCanary } from '../../support/scenarios/sane.ts'
import { runPolicyScenarios } from '../../support/scenarios/scenario.ts'
import { batch, create, get, patch, put, remove } from '../../support/scenarios/steps.ts'
import type { TestResponse } from '../../support/scenarios/transports.ts'
import { POLICY_STORES, type StoredService } from '../../support/stores/stores.ts'

const ANN = { Authorization: 'Bearer ann', 'X-Request-Id': 'the-same-id' } as const

/** Values that Ann sends for a sealed field: valid and invalid ones of each kind, alone and together with other faults. */
const BODIES: readonly Readonly<Record<string, unknown>>[] = [
  { sealedText: 'x' },
  { sealedText: 5 },
  { sealedText: null },
  { sealedNote: '*x*' },
  { sealedNoteHtml: '<p>x</p>' },
  { sealedRank: 3 },
  { sealedRank: -1 },
  { sealedRank: 'high' },
  { sealedFlag: true },
  { sealedKind: 'z' },
  { sealedKinds: ['x', 'x'] },
  { sealedData: { a: 1, b: 2, c: 3 } },
  { sealedGroup: { code: 'x' } },
  { sealedGroup: { size: 'x' } },
  { sealedGroup: null },
  { sealedRows: [{ who: 'nobody', label: 1 }] },
  { sealedParts: [{ _type: 'quote' }, { _type: 'nothing' }] },
  { sealedLabel: 'x' },
  { sealedLabel: { en: 'x' } },
  { sealedRef: '00000000-0000-7000-8000-000000000000' },
  { sealedRefs: 'x' },
  { sealedMust: null },
  { 'sealedGroup.code': 'x' },
  { nope: 1, sealedText: 5, title: 5, sealedRank: 'x', seo: { weight: 'x', sealedText: 1 }, zzz: 2 },
  { sealedText: 'x', title: 'y', tagline: 7 },
  { title: 5, sealedText: 'x' },
  Object.fromEntries([...Array.from({ length: 99 }, (_, index) => [`x${index}`, 1]), ['sealedText', 5], ['y', 1]]),
]

/** Every route that writes it. */
const DOORS: readonly (readonly [
  name: string,
  (note: string, data: unknown) => readonly [path: string, RequestOptions],
])[] = [
  ['POST', (_note, json) => ['/api/notes', { method: 'POST', json }]],
  ['POST in a locale', (_note, json) => ['/api/notes?locale=de', { method: 'POST', json }]],
  [
    'POST with an Idempotency-Key',
    (_note, json) => [
      '/api/notes',
      { method: 'POST', json, headers: { 'Idempotency-Key': JSON.stringify(json).length.toString() } },
    ],
  ],
  ['PUT', (note, json) => [`/api/notes/${note}`, { method: 'PUT', json }]],
  ['PUT in a locale', (note, json) => [`/api/notes/${note}?locale=de`, { method: 'PUT', json }]],
  [
    'PUT with If-Match',
    (note, json) => [`/api/notes/${note}`, { method: 'PUT', json, headers: { 'If-Match': '"0.x"' } }],
  ],
  ['PUT of no entry', (_note, json) => ['/api/notes/00000000-0000-7000-8000-000000000000', { method: 'PUT', json }]],
  [
    'PATCH',
    (note, json) => [
      `/api/notes/${note}`,
      { method: 'PATCH', json, headers: { 'Content-Type': 'application/merge-patch+json' } },
    ],
  ],
  ['PUT of a global', (_note, json) => ['/api/globals/site', { method: 'PUT', json }]],
  ['PUT of a global in a locale', (_note, json) => ['/api/globals/site?locale=de', { method: 'PUT', json }]],
  ['a batch that creates', (_note, data) => inBatch({ op: 'create', collection: 'notes', data })],
  ['a batch that changes', (note, data) => inBatch({ op: 'update', collection: 'notes', id: note, data })],
  [
    'a batch on a condition',
    (note, data) => inBatch({ op: 'update', collection: 'notes', id: note, data, ifMatch: '"0.x"' }),
  ],
]

const inBatch = (operation: object): readonly [string, RequestOptions] => [
  '/api/cms/batch',
  {
    method: 'POST',
    json: { operations: [{ op: 'create', collection: 'notes', data: { title: 'before' } }, operation] },
  },
]

describe.each(POLICY_STORES)('a hidden field in a write on $name', (store) => {
  const sides: { service: StoredService; note: string }[] = []
  beforeAll(async () => {
    for (const config of [sealed, unsealed]) {
      const service = await store.open(config)
      const created = await sendRequest(service, '/api/notes', {
        method: 'POST',
        json: { title: 'Note' },
        headers: ANN,
      })
      sides.push({ service, note: String(parseBody(created).id) })
    }
  })
  afterAll(() => Promise.all(sides.map(({ service }) => service.close())))

  test.each(DOORS)('%s responds, byte for byte, as if the field did not exist', async (_name, door) => {
    for (const body of BODIES) {
      const responses: unknown[] = []
      for (const { service, note } of sides) {
        const [path, request] = door(note, body)
        const response = await sendRequest(service, path, { ...request, headers: { ...ANN, ...request.headers } })
        expect(response.status, response.text).toBe(400)
        responses.push({ ...response, headers: [...response.headers] })
      }
      expect(responses[0], JSON.stringify(body)).toEqual(responses[1])
    }
  })

  test('in-process calls throw the same error', async () => {
    const caller = people.caller('ann')
    const errors = sides.map(async ({ service: { content }, note }) => {
      const calls = [
        content.as(caller).create('notes', { title: 'x', sealedRank: 'x' } as never),
        content.as(caller).update('notes', note, { sealedRank: 'x' } as never),
        content.as(caller).patch('notes', note, { sealedGroup: { code: 1 } }),
        content.as(caller).writeGlobal('site', { sealedText: 'x' } as never),
        content.as(caller).batch([{ op: 'update', collection: 'notes', id: note, data: { sealedText: 'x' } }]),
      ]
      return Promise.all(calls.map((call) => call.then(() => 'done', describeError)))
    })
    const [sealed, missing] = await Promise.all(errors)
    expect(sealed).toEqual(missing)
    expect(sealed).not.toContain('done')
  })

  test('a caller who may read it writes it', async () => {
    const [{ service, note } = expect.fail()] = sides
    const json = { sealedText: 'x', sealedGroup: { code: 'y' }, sealedLabel: 'z' }
    const response = await sendRequest(service, `/api/notes/${note}`, {
      method: 'PUT',
      json,
      headers: { Authorization: 'Bearer ada' },
    })
    expect(parseBody(response)).toMatchObject({ sealedText: 'x', sealedGroup: { code: 'y' }, sealedLabel: 'z' })
  })
})

const describeError = (error: unknown): unknown =>
  error instanceof DaybookError ? { code: error.code, message: error.message, details: error.details } : error

const staff = new People({ ada: ['admin'], ann: ['editor'] })
const isAdmin = hasRole('admin', 'service')
const hidden = { access: { read: isAdmin } }

/** Documents that only callers who see all fields can create. */
const demanding: DaybookConfig = defineConfig({
  auth: staff.adapter,
  collections: {
    notes: defineCollection({ fields: { title: f.text(), code: f.text({ ...hidden, required: true }) } }),
    open: defineCollection({
      fields: { title: f.text(), code: f.text({ ...hidden, required: true }) },
      access: { create: () => true },
    }),
    graded: defineCollection({
      fields: { title: f.text(), code: f.text({ ...hidden, required: true, default: 'c' }) },
    }),
  },
  globals: { site: defineGlobal({ fields: { name: f.text(), code: f.text({ ...hidden, required: true }) } }) },
})

const forbidden = { status: 403, body: { code: 'FORBIDDEN', details: {} }, lacks: ['code"/', '/code'] } as const

runPolicyScenarios('a required hidden field', [
  {
    name: 'prevents others from creating a document without being named; callers who read it can create one',
    config: demanding,
    steps: [
      as('ann', create('notes', { title: 'x' }, forbidden)),
      as('ann', create('notes', { title: 5 }, { status: 400, lacks: ['/code'] })),
      as('ann', batch([{ op: 'create', collection: 'notes', data: { title: 'x' } }], forbidden)),
      as('ann', put('/api/globals/site', { name: 'x' }, forbidden)),
      { ...create('open', { title: 'x' }), auth: false, status: 401, lacks: ['/code'] },
      as('ada', create('notes', { title: 'x' }, { status: 400, body: { details: { issues: [{ path: '/code' }] } } })),
      as('ada', create('notes', { title: 'x', code: 'c' }, { keep: { id: '/id' } })),
      as('ada', put('/api/globals/site', { code: 'c' })),
      as('ann', put('/api/notes/{id}', { title: 'y' }, { body: { title: 'y' } })),
      as('ann', put('/api/globals/site', { name: 'y' }, { body: { name: 'y' } })),
    ],
  },
  {
    name: 'gets its default in a new document',
    config: demanding,
    steps: [
      as('ann', create('graded', { title: 'x' }, { keep: { id: '/id' }, lacks: ['code'] })),
      as('ada', get('/api/graded/{id}', { body: { code: 'c' } })),
    ],
  },
])

const blindly: DaybookConfig = defineConfig({
  auth: staff.adapter,
  collections: {
    notes: defineCollection({
      fields: {
        title: f.text(),
        tip: f.group({ text: f.text(), by: f.text() }, { access: { read: isAdmin, write: () => true } }),
      },
    }),
  },
})

const merged = {
  status: 400,
  body: { code: 'VALIDATION_ERROR', details: { issues: [{ path: '/tip', code: 'merge' }] } },
} as const

runPolicyScenarios('a field that the caller may write but not read', [
  {
    name: 'changes with every write, and is never merged with the stored value',
    config: blindly,
    steps: [
      as('ada', create('notes', { title: 'x', tip: { text: 'a', by: 'b' } }, { keep: { id: '/id', ada: 'ETag' } })),
      as('ann', get('/api/notes/{id}', { keep: { tag: 'ETag' }, lacks: ['tip'] })),
      as('ann', put('/api/notes/{id}', { title: 'x' }, { responseHeaders: { ETag: '{tag}' } })),
      as('ann', patch('/api/notes/{id}', { tip: { text: 'c' } }, merged)),
      as('ann', patch('/api/notes/{id}', { tip: null }, { lacks: ['tip'], keep: { next: 'ETag' } })),
      as('ann', put('/api/notes/{id}', { tip: null }, { headers: { 'If-Match': '{next}' }, lacks: ['tip'] })),
      as('ann', put('/api/notes/{id}', { title: 'x' }, { headers: { 'If-Match': '{next}' }, status: 412 })),
      as('ann', put('/api/notes/{id}', { tip: { text: 'd' } })),
      as('ada', get('/api/notes/{id}', { body: { tip: { text: 'd', by: null } } })),
      as('ada', patch('/api/notes/{id}', { tip: { by: 'e' } }, { body: { tip: { text: 'd', by: 'e' } } })),
    ],
  },
])

const referring: DaybookConfig = defineConfig({
  auth: staff.adapter,
  collections: {
    targets: defineCollection({
      fields: { name: f.text(), open: f.boolean({ default: true }) },
      access: { read: (request) => isAdmin(request) || { open: { eq: true } } },
    }),
    notes: defineCollection({
      fields: {
        link: f.relation('targets'),
        ref: f.relation('targets', hidden),
        drop: f.relation('targets', {
          access: { read: isAdmin, write: () => true },
        }),
      },
    }),
    orders: defineCollection({
      fields: { target: f.relation('targets', { required: true }), open: f.boolean() },
      access: { read: (request) => isAdmin(request) || { open: { eq: true } } },
    }),
  },
})

const order = (target: string, open: boolean): object => ({
  op: 'create',
  collection: 'orders',
  data: { target, open },
})
const SEEN = { collection: 'orders', field: 'target' } as const
const noTarget = { status: 400, body: { details: { issues: [{ code: 'reference' }] } } } as const

runPolicyScenarios('hidden references', [
  {
    name: 'do not make an entry visible to references',
    config: referring,
    steps: [
      as('ada', create('targets', { name: 'shut', open: false }, { keep: { shut: '/id' } })),
      as('ada', create('notes', { ref: '{shut}', drop: '{shut}' }, { keep: { id: '/id' } })),
      ...['link', 'drop'].flatMap((field) => [
        as('ann', put('/api/notes/{id}', { [field]: '{shut}' }, noTarget)),
        as('ann', patch('/api/notes/{id}', { [field]: '{shut}' }, noTarget)),
        as('ann', create('notes', { [field]: '{shut}' }, noTarget)),
        as('ann', batch([{ op: 'update', collection: 'notes', id: '{id}', data: { [field]: '{shut}' } }], noTarget)),
      ]),
      as('ann', put('/api/notes/{id}', { link: null })),
      as('ada', put('/api/notes/{id}', { link: '{shut}' })),
      as('ann', put('/api/notes/{id}', { link: '{shut}' }, { body: { link: '{shut}' } })),
    ],
  },
  {
    name: 'change no tag in the batch that deletes their target, and are removed at its end',
    config: referring,
    steps: [
      as('ada', create('targets', { name: 'x' }, { keep: { x: '/id' } })),
      as('ada', create('notes', { ref: '{x}' }, { keep: { id: '/id' } })),
      as('ann', get('/api/notes/{id}', { keep: { tag: 'ETag' } })),
      as(
        'ann',
        batch(
          [
            { op: 'delete', collection: 'targets', id: '{x}' },
            { op: 'update', collection: 'notes', id: '{id}', ifMatch: '{tag}', data: { link: null } },
            { op: 'create', collection: 'notes', data: {} },
          ],
          { responseHeaders: { 'Daybook-Seq': '4' } },
        ),
      ),
      as('ada', get('/api/notes/{id}', { body: { ref: null } })),
      as('ada', create('notes', {}, { responseHeaders: { 'Daybook-Seq': '6' } })),
    ],
  },
  {
    name: 'prevent the deletion of their target without being listed; visible ones are listed, however many are hidden',
    config: referring,
    steps: [
      as('ada', create('targets', { name: 'x' }, { keep: { x: '/id' } })),
      as('ada', batch(Array.from({ length: 220 }, () => order('{x}', false)))),
      as('ann', remove('/api/targets/{x}', { status: 409, body: { code: 'CONFLICT', details: { references: [] } } })),
      as('ada', batch([order('{x}', true), order('{x}', true)])),
      as('ann', remove('/api/targets/{x}', { status: 409, body: { details: { references: [SEEN, SEEN] } } })),
    ],
  },
])

const gone = { status: 404, body: { code: 'NOT_FOUND', details: {} }, lacks: ['{tag}'] } as const

runPolicyScenarios('a hidden entry', [
  {
    name: 'does not exist, whatever tag the caller guesses',
    config: referring,
    steps: [
      as('ada', create('targets', { name: 'shut', open: false }, { keep: { id: '/id', tag: 'ETag' } })),
      ...['{tag}', '"0.guess"', '*'].flatMap((ifMatch) => {
        const condition = { ...gone, headers: { 'If-Match': ifMatch } }
        return [
          as('ann', put('/api/targets/{id}', { name: 'x' }, condition)),
          as('ann', patch('/api/targets/{id}', { name: 'x' }, condition)),
          as('ann', remove('/api/targets/{id}', condition)),
          as('ann', batch([{ op: 'update', collection: 'targets', id: '{id}', ifMatch, data: {} }], { status: 404 })),
          as('ann', batch([{ op: 'delete', collection: 'targets', id: '{id}', ifMatch }], { status: 404 })),
        ]
      }),
    ],
  },
])

describe.each(POLICY_STORES)('an idempotent response on $name', (store) => {
  test('is not returned to a caller who can no longer read all of it', async () => {
    const admins = new People({ kim: ['admin'] })
    await using service = await store.open({ ...demanding, auth: admins.adapter })
    const create = { collection: 'notes', data: { code: CANARY } } as const
    const send = async (): Promise<readonly TestResponse[]> => {
      const headers = { Authorization: 'Bearer kim' }
      return [
        await sendRequest(service, '/api/notes', {
          method: 'POST',
          json: create.data,
          headers: { ...headers, 'Idempotency-Key': 'one' },
        }),
        await sendRequest(service, '/api/cms/batch', {
          method: 'POST',
          json: { operations: [{ op: 'create', ...create }] },
          headers: { ...headers, 'Idempotency-Key': 'two' },
        }),
      ]
    }
    const first = await send()
    expect(first.map(({ status }) => status)).toEqual([201, 200])
    expect((await send()).map(({ text }) => text)).toEqual(first.map(({ text }) => text))
    admins.promote('kim', 'editor')
    for (const response of await send()) {
      expect(response.status).toBe(422)
      expectNoCanary(response)
    }
  })
})

/** A hidden field that became required, and whose options have changed. */
const withHidden = (options: { readonly required?: boolean; readonly options: readonly string[] }): DaybookConfig => {
  const fields = {
    title: f.text({ localized: true }),
    kind: f.select({ ...hidden, ...options }),
    drop: f.text({
      required: options.required === true,
      localized: true,
      access: { read: isAdmin, write: () => true },
    }),
  }
  return defineConfig({
    auth: staff.adapter,
    locales: LOCALES,
    collections: { notes: defineCollection({ fields }) },
    globals: { site: defineGlobal({ fields }), other: defineGlobal({ fields }) },
  })
}

describe.each(POLICY_STORES)('hidden values of an older config on $name', (store) => {
  const ada = staff.caller('ada')
  const ann = staff.caller('ann')

  test('do not affect writes of others, whether or not they are valid in the present config', async () => {
    await using place = await store.at()
    const older = [{ kind: 'old', drop: 'a' }, { kind: 'new', drop: 'a' }, { kind: null, drop: null }, {}]
    const ids = await place.serve(withHidden({ options: ['old', 'new'] }), async ({ content }) => {
      await content.as(ada).writeGlobal('site', { title: 'x', kind: 'new', drop: 'a' })
      await content.as(ada).writeGlobal('other', { title: 'x', kind: 'old' })
      const creates = older.map((values) => content.as(ada).create('notes', { title: 'x', ...values }))
      return (await Promise.all(creates)).map(({ id }) => String(id))
    })
    await place.serve(withHidden({ options: ['new', 'newer'], required: true }), async ({ content }) => {
      const writes = (write: (id: string) => Promise<object>): Promise<readonly string[]> =>
        Promise.all(ids.map((id) => write(id).then((entry) => Object.keys(entry).join(), codeOf)))
      const expectSame = async (write: (id: string) => Promise<object>, expected: string): Promise<void> =>
        expect(await writes(write)).toEqual(ids.map(() => expected))

      const seen = 'id,title,createdAt,updatedAt,createdBy,updatedBy'
      await expectSame(
        (id) => content.as(ann).update('notes', id, { drop: null }, { locale: 'de' }),
        'VALIDATION_ERROR',
      )
      await expectSame((id) => content.as(ann).update('notes', id, { title: 'y' }), seen)
      await expectSame((id) => content.as(ann).patch('notes', id, { title: 'z' }, { locale: 'de' }), seen)
      await expectSame((id) => content.as(ann).update('notes', id, { drop: 'b' }, { locale: 'de' }), seen)
      for (const key of ['site', 'other']) {
        const before = await content.as(ann).readGlobal(key)
        const after = await content.as(ann).writeGlobal(key, { title: 'x' })
        expect(etagOf(after) === etagOf(before), key).toBe(false)
      }
    })
  })
})

const codeOf = (error: unknown): string => (error instanceof DaybookError ? error.code : String(error))
