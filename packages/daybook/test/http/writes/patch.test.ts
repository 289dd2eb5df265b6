import { defineCollection, defineConfig, f } from 'daybook'
import { describe, expect, test } from 'vitest'
import { kitchen } from '../../support/configs/configs.ts'
import { parseBody, sendRequest } from '../../support/scenarios/client.ts'
import { CANARY, expectQuietProcess } from '../../support/scenarios/sane.ts'
import { runScenarios, type Step } from '../../support/scenarios/scenario.ts'
import { create, faults, get, patch, put } from '../../support/scenarios/steps.ts'
import { STORES } from '../../support/stores/stores.ts'

const thing = '/api/things/{id}'
const absent = '/api/things/01a1f9d5-ddca-7255-9a37-e7bf8ce09df2'

const sendRaw = (raw: string): Step => ({
  method: 'PATCH',
  path: thing,
  auth: true,
  raw,
  headers: { 'Content-Type': 'application/merge-patch+json' },
  status: 400,
  body: { code: 'VALIDATION_ERROR' },
})

/** An entry with a value in every kind of field. */
const THING: Step = create(
  'things',
  {
    title: 'T',
    amount: 1.5,
    flag: true,
    kind: 'green',
    kinds: ['a', 'b'],
    mail: 't@example.org',
    body: '*b*',
    seo: { title: 's', text: '*x*', inner: { rank: 3 } },
    words: ['x', 'y'],
    rows: [{ name: 'n', size: 1 }],
    parts: [{ _type: 'quote', text: 'q', by: 'me' }],
    point: { x: 1, y: 2 },
    data: { a: { b: [1, { c: 2 }] }, keep: true },
  },
  { keep: { id: '/id', tag: 'ETag' } },
)

runScenarios('PATCH', [
  {
    name: 'changes only the fields that it names, at every level of objects (RFC 7396)',
    config: kitchen,
    steps: [
      THING,
      patch(thing, { amount: 2 }, { body: { amount: 2, flag: true, title: 'T', slug: 't' } }),
      patch(
        thing,
        { seo: { title: 'new' } },
        { body: { seo: { title: 'new', text: '*x*', textHtml: '<p><em>x</em></p>', inner: { rank: 3 } } } },
      ),
      patch(
        thing,
        { seo: { inner: { rank: 4 } } },
        { body: { seo: { title: 'new', text: '*x*', inner: { rank: 4 } } } },
      ),
      patch(
        thing,
        { seo: { text: '**y**' } },
        { body: { seo: { textHtml: '<p><strong>y</strong></p>', title: 'new' } } },
      ),
      patch(thing, { data: { a: { z: 1 } } }, { body: { data: { a: { b: [1, { c: 2 }], z: 1 }, keep: true } } }),
      patch(thing, { point: { y: 5 } }, { body: { point: { x: 1, y: 5 } } }),
      patch(thing, { body: '# h' }, { body: { bodyHtml: '<h1 id="h">h</h1>' } }),
      get(thing, {
        body: { amount: 2, seo: { title: 'new', inner: { rank: 4 } }, point: { x: 1, y: 5 }, words: ['x', 'y'] },
      }),
    ],
  },
  {
    name: 'clears fields with null, at every level of objects',
    config: kitchen,
    steps: [
      THING,
      patch(thing, { amount: null, mail: null }, { body: { amount: null, mail: null, flag: true } }),
      patch(thing, { seo: { title: null } }, { body: { seo: { title: null, text: '*x*', inner: { rank: 3 } } } }),
      patch(thing, { seo: { text: null } }, { body: { seo: { text: null, textHtml: null } } }),
      patch(thing, { seo: { inner: { rank: null } } }, { body: { seo: { inner: { rank: null } } } }),
      patch(thing, { seo: null }, { body: { seo: null } }),
      patch(thing, { data: { keep: null, a: { b: null } } }, { body: { data: { a: {} } } }),
      get(thing, { body: { data: { a: {} } }, lacks: ['"keep"'] }),
      patch(thing, { kinds: null, words: null }, { body: { kinds: [], words: [] } }),
      patch(thing, { body: null }, { body: { body: null, bodyHtml: null } }),
    ],
  },
  {
    name: 'creates a group that was empty',
    config: kitchen,
    steps: [
      create('things', { title: 'T' }, { keep: { id: '/id' }, body: { seo: null } }),
      patch(thing, { seo: { inner: { rank: 1 } } }, { body: { seo: { title: null, text: null, inner: { rank: 1 } } } }),
    ],
  },
  {
    name: 'replaces lists, blocks and all other values that are not objects',
    config: kitchen,
    steps: [
      THING,
      patch(thing, { kinds: ['c'] }, { body: { kinds: ['c'] } }),
      patch(thing, { words: ['z'] }, { body: { words: ['z'] } }),
      patch(thing, { rows: [{ name: 'other' }] }, { body: { rows: [{ name: 'other', size: null }] } }),
      patch(thing, { parts: [{ _type: 'prose', text: 'p' }] }, { body: { parts: [{ _type: 'prose', text: 'p' }] } }),
      patch(thing, { data: [1] }, { body: { data: [1] } }),
      patch(thing, { data: { x: 1 } }, { body: { data: { x: 1 } } }),
      patch(thing, { data: 'text' }, { body: { data: 'text' } }),
      patch(thing, { data: { y: { z: null, w: 1 } } }, { body: { data: { y: { w: 1 } } } }),
      get(thing, { body: { data: { y: { w: 1 } } }, lacks: ['"z":'] }),
    ],
  },
  {
    name: 'changes neither the entry nor its tag if all values are equal',
    config: kitchen,
    steps: [
      THING,
      patch(thing, {}, { responseHeaders: { ETag: '{tag}' } }),
      patch(thing, { title: 'T', seo: { title: 's' } }, { responseHeaders: { ETag: '{tag}' } }),
      patch(thing, { seo: { inner: { rank: 3 } }, data: { keep: true } }, { responseHeaders: { ETag: '{tag}' } }),
      patch(thing, { seo: { inner: {} } }, { responseHeaders: { ETag: '{tag}' } }),
      get(thing, { auth: true, responseHeaders: { ETag: '{tag}' } }),
    ],
  },
  {
    name: 'accepts an entry as it was read, including its read-only fields',
    config: kitchen,
    steps: [
      THING,
      patch(thing, { id: 'x', createdAt: 'x', updatedAt: 'x', bodyHtml: 'x' }, { responseHeaders: { ETag: '{tag}' } }),
      patch(thing, { seo: { textHtml: 'x' } }, { responseHeaders: { ETag: '{tag}' } }),
    ],
  },
  {
    name: 'stores nothing if any part is invalid',
    config: kitchen,
    steps: [
      THING,
      ...(
        [
          [{ amount: 2, title: null }, '/title'],
          [{ amount: 2, nope: 1 }, '/nope'],
          [{ seo: { nope: 1 } }, '/seo/nope'],
          [{ seo: { nope: null } }, '/seo/nope'],
          [{ nope: null }, '/nope'],
          [{ seo: { title: 5 } }, '/seo/title'],
          [{ seo: { inner: { rank: 1.5 } } }, '/seo/inner/rank'],
          [{ seo: { title: 'x'.repeat(21) } }, '/seo/title'],
          [{ seo: [] }, '/seo'],
          [{ point: { x: null } }, '/point/x'],
          [{ point: { z: 1 } }, '/point/z'],
          [{ rows: [{ size: 1 }] }, '/rows/0/name'],
          [{ parts: [{ text: 'x' }] }, '/parts/0/_type', '/parts/0'],
          [{ words: [null] }, '/words/0'],
          [{ friends: ['{id}', 'x'] }, '/friends/1'],
          [{ parent: '01a1f9d5-ddca-7255-9a37-e7bf8ce09df2' }, '/parent'],
        ] as const
      ).map(([json, ...paths]) => patch(thing, json, { ...faults(...paths), lacks: [] })),
      ...['[]', '5', '"x"', 'null', 'true', '{', '', '[{"title":"x"}]'].map((raw) => sendRaw(raw)),
      get(thing, { auth: true, responseHeaders: { ETag: '{tag}' } }),
    ],
  },
  {
    name: 'reports missing required fields before a missing entry, unless the entry could have them',
    config: kitchen,
    steps: [
      patch(absent, { parts: [{ _type: 'quote' }] }, faults('/parts/0/text')),
      patch(absent, { rows: [{ name: 'n' }, { size: 1 }] }, faults('/rows/1/name')),
      patch(absent, { seo: { title: 5 }, createdAt: 5 }, faults('/seo/title')),
      patch(absent, { point: { x: 1 } }, { status: 404 }),
      patch(absent, { title: 'x', createdAt: 5, id: [], bodyHtml: {} }, { status: 404 }),
    ],
  },
  {
    name: 'rejects keys that reach a prototype, at any depth',
    config: kitchen,
    steps: [
      THING,
      ...[
        '{"__proto__":{"title":"x"}}',
        '{"__proto__":null}',
        '{"title":"x","__proto__":{"amount":1}}',
        '{"seo":{"__proto__":{"title":"x"}}}',
        '{"seo":{"inner":{"__proto__":{"rank":1}}}}',
        '{"data":{"__proto__":{"x":1}}}',
        '{"data":[{"__proto__":{"x":1}}]}',
        '{"constructor":{"prototype":{"x":1}}}',
        '{"seo":{"constructor":null}}',
        '{"data":{"a":{"prototype":1}}}',
      ].map((raw) => sendRaw(raw)),
      get(thing, { auth: true, responseHeaders: { ETag: '{tag}' } }),
    ],
  },
  {
    name: 'rejects objects and lists nested too deeply',
    config: kitchen,
    steps: [
      THING,
      ...[70, 5000, 100_000].flatMap((deep) =>
        [
          `${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`,
          `{"data":${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}}`,
          `{"data":${'['.repeat(deep)}${']'.repeat(deep)}}`,
        ].map((raw) => sendRaw(raw)),
      ),
    ],
  },
  {
    name: 'accepts only application/merge-patch+json and application/json',
    config: kitchen,
    steps: [
      THING,
      patch(thing, { amount: 2 }, { headers: { 'Content-Type': 'application/json' } }),
      patch(thing, { amount: 3 }, { headers: { 'Content-Type': 'application/merge-patch+json; charset=utf-8' } }),
      ...['text/plain', 'application/x-www-form-urlencoded', 'application/merge-patch', 'multipart/form-data'].map(
        (type) => patch(thing, { amount: 4 }, { headers: { 'Content-Type': type }, status: 415 }),
      ),
    ],
  },
  {
    name: 'needs a session, an entry, and no parameters',
    config: kitchen,
    steps: [
      THING,
      patch(thing, { amount: 2 }, { auth: false, status: 401 }),
      patch('/api/things/01a1f9d5-ddca-7255-9a37-e7bf8ce09df2', { amount: 2 }, { status: 404 }),
      patch('/api/things/t', { amount: 2 }, { status: 404 }),
      patch('/api/nobody/{id}', { amount: 2 }, { status: 404 }),
      patch('/api/things', { amount: 2 }, { status: 400 }),
      patch(`${thing}?select=title`, { amount: 2 }, { status: 400 }),
      patch('/api/globals/site', { siteName: 'x' }, { status: 405 }),
    ],
  },
  {
    name: 'handles If-Match like PUT',
    config: kitchen,
    steps: [
      THING,
      patch(
        thing,
        { amount: 2 },
        { headers: { 'If-Match': '"stale"' }, status: 412, body: { details: { current: '{tag}' } } },
      ),
      patch(thing, { amount: 2 }, { headers: { 'If-Match': 'W/{tag}' }, status: 412 }),
      patch(thing, { amount: 2 }, { headers: { 'If-Match': '{tag}' }, responseHeaders: { 'Daybook-Seq': /^\d+$/ } }),
      patch(thing, { amount: 3 }, { headers: { 'If-Match': '{tag}' }, status: 412 }),
      create('ledgers', { title: 'l' }, { keep: { ledger: '/id', tag: 'ETag' } }),
      patch('/api/ledgers/{ledger}', { title: 'm' }, { status: 428 }),
      patch('/api/ledgers/{ledger}', { title: 'm' }, { headers: { 'If-Match': '{tag}' }, body: { title: 'm' } }),
    ],
  },
  {
    name: 'rejects values for fields that the caller may not write, and keeps hidden values',
    config: kitchen,
    steps: [
      create('dossiers', { title: 'D', secret: CANARY, inner: { code: CANARY } }, { keep: { id: '/id' } }),
      patch(
        '/api/dossiers/{id}',
        { frozen: 'x', title: 'E' },
        { status: 403, body: { details: { issues: [{ path: '/frozen' }] } } },
      ),
      patch('/api/dossiers/{id}', { frozen: null, title: 'E' }, { body: { frozen: null, title: 'E' } }),
      get('/api/dossiers/{id}', { auth: true, body: { title: 'E', secret: CANARY, inner: { code: CANARY } } }),
    ],
  },
  {
    name: 'handles slugs and unique values like PUT',
    config: kitchen,
    steps: [
      THING,
      create('things', { title: 'U', code: 'AB1' }, { keep: { other: '/id' } }),
      patch(thing, { slug: 'u' }, { status: 409, body: { details: { field: 'slug' } } }),
      patch(thing, { code: 'AB1' }, { status: 409, body: { details: { field: 'code' } } }),
      patch(thing, { slug: 'v' }, { body: { slug: 'v', title: 'T' } }),
      patch(thing, { slug: null }, { body: { slug: 't' } }),
    ],
  },
])

runScenarios('PUT', [
  {
    name: 'changes only the fields that it names, and replaces whole objects',
    config: kitchen,
    steps: [
      THING,
      put(thing, { amount: 2 }, { body: { amount: 2, flag: true, kinds: ['a', 'b'], seo: { title: 's' } } }),
      put(thing, { seo: { title: 'only' } }, { body: { seo: { title: 'only', text: null, inner: null }, amount: 2 } }),
      put(thing, { data: { x: 1 } }, { body: { data: { x: 1 } } }),
      get(thing, { lacks: ['"keep"'], body: { point: { x: 1, y: 2 }, words: ['x', 'y'] } }),
      put(thing, { amount: null, seo: null }, { body: { amount: null, seo: null, flag: true } }),
    ],
  },
])

/** A group with many keys, one of which has a default. */
const wide = defineConfig({
  collections: {
    cards: defineCollection({
      fields: {
        slug: f.slug(),
        group: f.group({
          ...Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, f.integer()])),
          tone: f.text({ default: 'warm' }),
        }),
      },
    }),
  },
})

runScenarios('PATCH of a field with a default', [
  {
    name: 'clears it, like PUT',
    config: wide,
    steps: [
      create('cards', { slug: 'c', group: { k1: 1 } }, { keep: { id: '/id' }, body: { group: { tone: 'warm' } } }),
      put('/api/cards/{id}', { group: { k1: 1, tone: null } }, { body: { group: { tone: null } } }),
      patch('/api/cards/{id}', { group: { tone: 'cold' } }, { body: { group: { k1: 1, tone: 'cold' } } }),
      patch('/api/cards/{id}', { group: { tone: null } }, { body: { group: { k1: 1, tone: null } } }),
      patch('/api/cards/{id}', { group: { k1: 2 } }, { body: { group: { k1: 2, tone: null } } }),
    ],
  },
])

describe.each(STORES)('concurrent patches on $name', (store) => {
  test('of 50 different keys of one group all succeed, and none is lost', async () => {
    const service = await store.open(wide)
    try {
      const card = await sendRequest(service, '/api/cards', { method: 'POST', json: { slug: 'c', group: {} } })
      const path = `/api/cards/${parseBody(card).id}`
      const responses = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          sendRequest(service, path, { method: 'PATCH', json: { group: { [`k${index}`]: index } } }),
        ),
      )
      const expected = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, index]))
      const done = responses.flatMap(({ status }, index) => (status === 200 ? [index] : []))
      const { group } = parseBody(await sendRequest(service, path))
      expect(group, 'every patch that was answered with 200 is there').toMatchObject(
        Object.fromEntries(done.map((index) => [`k${index}`, index])),
      )
      expect(done).toHaveLength(50)
      expect(group).toMatchObject(expected)
      await expectQuietProcess()
    } finally {
      await service.close()
    }
  })

  test('with one tag succeed once', async () => {
    const service = await store.open(wide)
    try {
      const card = await sendRequest(service, '/api/cards', { method: 'POST', json: { slug: 'c', group: {} } })
      const headers = { 'If-Match': String(card.headers.get('etag')) }
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          sendRequest(service, `/api/cards/${parseBody(card).id}`, {
            method: 'PATCH',
            json: { group: { k1: index } },
            headers,
          }),
        ),
      )
      expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 412)])
    } finally {
      await service.close()
    }
  })

  test('that reorder a list leave one of the orders', async () => {
    const service = await store.open(kitchen)
    try {
      const post = async (json: object): Promise<string> =>
        String(parseBody(await sendRequest(service, '/api/things', { method: 'POST', json })).id)
      const friends = await Promise.all(Array.from({ length: 6 }, (_, index) => post({ title: `f${index}` })))
      const path = `/api/things/${await post({ title: 'T', friends })}`
      const orders = Array.from({ length: 50 }, (_, index) => [
        ...friends.slice(index % 6),
        ...friends.slice(0, index % 6),
      ])
      const responses = await Promise.all(
        orders.map((order, index) =>
          sendRequest(service, path, { method: index % 2 === 0 ? 'PUT' : 'PATCH', json: { friends: order } }),
        ),
      )
      for (const { status } of responses) expect([200, 409]).toContain(status)
      expect(orders).toContainEqual(parseBody(await sendRequest(service, path)).friends)
      for (const id of friends) {
        const references = parseBody(await sendRequest(service, `/api/things/${id}/references`, { auth: true }))
        expect(references.total).toBe(1)
      }
    } finally {
      await service.close()
    }
  })
})
