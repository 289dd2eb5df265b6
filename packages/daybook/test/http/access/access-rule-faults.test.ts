import { type AccessRule, type AccessWhere, defineCollection, defineConfig, defineGlobal, f } from 'daybook'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { People } from '../../support/auth/people.ts'
import { RecordingLog } from '../../support/recording-log.ts'
import { CANARY, expectSane } from '../../support/scenarios/sane.ts'
import type { TestResponse } from '../../support/scenarios/transports.ts'
import { POLICY_STORES, type StoredService } from '../../support/stores/stores.ts'

const people = new People({ ann: [], ada: ['admin'] })

/** The current result of the rules, for everyone except Ada. */
let rule: AccessRule = () => true
const adminOrRule: AccessRule = (request) => request.identity?.roles.includes('admin') === true || rule(request)

/** The current result of the rules of one field. */
let fieldRule: () => unknown = () => false

/** The current result of the rules of the global. */
let doorRule: () => unknown = () => true

const config = defineConfig({
  auth: people.adapter,
  collections: {
    notes: defineCollection({
      fields: {
        title: f.text({ required: true }),
        slug: f.slug({ from: 'title' }),
        owner: f.text(),
        rank: f.integer(),
        flag: f.boolean(),
        day: f.date(),
        labels: f.select({ options: ['red', 'green'], many: true }),
        body: f.markdown(),
        next: f.relation('notes'),
        links: f.relation('notes', { many: true }),
        secret: f.text({ access: { read: () => false, write: () => true } }),
        odd: f.text({ access: { read: () => fieldRule() as boolean, write: () => fieldRule() as boolean } }),
      },
      access: { read: adminOrRule },
    }),
    drawers: defineCollection({
      fields: { title: f.text(), slug: f.slug({ from: 'title' }) },
      access: { create: adminOrRule, update: adminOrRule, delete: adminOrRule },
    }),
    pages: defineCollection({ fields: { title: f.text(), note: f.relation('notes') } }),
  },
  globals: {
    door: defineGlobal({
      fields: { page: f.relation('pages', { onDelete: 'restrict' }) },
      access: { read: () => doorRule() as boolean },
    }),
  },
})

const cyclic: Record<string, unknown> = {}
cyclic.not = cyclic
const many = (count: number, make: (index: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** Invalid results of a rule. */
const FAULTS: readonly (readonly [string, () => unknown])[] = [
  [
    'throws',
    () => {
      throw new Error(`cannot tell ${CANARY.slice(0, 3)}`)
    },
  ],
  [
    'throws something that is no error',
    () => {
      throw 'no'
    },
  ],
  ['rejects', async () => Promise.reject(new Error('later'))],
  ['forgets to answer', () => undefined],
  ['answers null', () => null],
  ['answers a text', () => 'yes'],
  ['answers a number', () => 1],
  ['answers a list', () => []],
  ['answers an empty where', () => ({})],
  ['answers a where with an empty part', () => ({ and: [{}] })],
  ['answers a where that denies nothing', () => ({ not: {} })],
  ['answers a choice of nothing', () => ({ or: [] })],
  ['answers all of nothing', () => ({ labels: { all: [] } })],
  ['names a field without an operator', () => ({ owner: {} })],
  ['names a field with a value', () => ({ owner: 'ann' })],
  ['compares with undefined', () => ({ owner: { eq: undefined } })],
  ['leaves a field undefined', () => ({ title: { exists: true }, owner: undefined })],
  ['compares with null', () => ({ owner: { eq: null } })],
  ['compares with an object', () => ({ owner: { eq: { toString: () => 'ann' } } })],
  ['compares with a list', () => ({ owner: { eq: ['ann'] } })],
  ['compares with a date object', () => ({ day: { eq: new Date() } })],
  ['compares with NUL', () => ({ owner: { eq: 'ann\0' } })],
  ['compares with what the field cannot hold', () => ({ rank: { eq: 'high' } })],
  ['compares with what is no number', () => ({ rank: { eq: Number.NaN } })],
  ['misspells a field', () => ({ ownr: { eq: 'ann' } })],
  ['misspells an operator', () => ({ owner: { equals: 'ann' } })],
  ['names a field that cannot be filtered', () => ({ body: { contains: 'x' } })],
  ['has 51 conditions', () => ({ or: many(51, () => ({ owner: { eq: 'ann' } })) })],
  ['has four levels', () => ({ not: { not: { not: { not: { owner: { eq: 'ann' } } } } } })],
  ['has 501 values', () => ({ owner: { in: many(501, String) } })],
  ['is without end', () => cyclic],
]

describe.each(POLICY_STORES)('a rule with an invalid result on $name', (store) => {
  let service: StoredService
  let id: string
  const log = new RecordingLog()
  const sendRequest = async (path: string, who: string, method = 'GET', json?: unknown): Promise<TestResponse> => {
    const response = await service.request(path, {
      method,
      headers: {
        Authorization: `Bearer ${who}`,
        ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    })
    const result = { status: response.status, headers: response.headers, text: await response.text() }
    expectSane(result, method)
    return result
  }

  beforeAll(async () => {
    service = await store.open(config, { log })
    const created = await sendRequest('/api/notes', 'ada', 'POST', { title: CANARY, owner: 'ann', body: CANARY })
    id = JSON.parse(created.text).id
    await sendRequest('/api/pages', 'ada', 'POST', { title: 'P', note: id })
    const drawer = await sendRequest('/api/drawers', 'ada', 'POST', { title: CANARY })
    expect([created.status, drawer.status]).toEqual([201, 201])
  })
  afterAll(() => service.close())

  test.each(FAULTS)(
    'that %s: 500, nothing is shown or changed, and the log says which rule it was',
    async (_what, result) => {
      rule = result as AccessRule
      fieldRule = () => true
      const drawer = JSON.parse((await sendRequest('/api/drawers?limit=1', 'ada')).text).items[0].id
      log.take()
      const closed: readonly (readonly [path: string, method: string, rule: string, json?: unknown])[] = [
        ['/api/notes', 'GET', 'notes.access.read'],
        ['/api/notes?limit=0', 'GET', 'notes.access.read'],
        [`/api/notes/${id}`, 'GET', 'notes.access.read'],
        [`/api/notes/${CANARY}`, 'GET', 'notes.access.read'],
        [`/api/notes/${id}`, 'PUT', 'notes.access.read', { title: 'x' }],
        [`/api/notes/${id}/references`, 'GET', 'notes.access.read'],
        ['/api/pages?include=note', 'GET', 'notes.access.read'],
        ['/api/pages?where[note.owner][eq]=ann', 'GET', 'notes.access.read'],
        ['/api/pages', 'POST', 'notes.access.read', { note: id }],
        ['/api/drawers', 'POST', 'drawers.access.create', { title: 'x' }],
        [`/api/drawers/${drawer}`, 'PUT', 'drawers.access.update', { title: 'x' }],
        [`/api/drawers/${drawer}`, 'DELETE', 'drawers.access.delete'],
        ['/api/cms/auth/permissions', 'GET', 'notes.access.read'],
      ]
      for (const [path, method, name, json] of closed) {
        const { status, text } = await sendRequest(path, 'ann', method, json)
        expect({ path, status, code: JSON.parse(text).code }).toEqual({ path, status: 500, code: 'INTERNAL_ERROR' })
        expect(JSON.parse(text).details).toEqual({})
        expect(text).not.toContain(CANARY)
        const said = log.take().filter((line) => line.startsWith('error'))
        expect(said).toHaveLength(1)
        expect(said[0]).toContain(`The access rule collections.${name}`)
        expect(said[0]).not.toContain(CANARY)
      }
      // Requests about other documents show nothing of it.
      expect((await sendRequest('/api/pages', 'ann')).status).toBe(200)
      const drawers = await sendRequest('/api/drawers', 'ann')
      expect(JSON.parse(drawers.text)).toMatchObject({ total: 1, items: [{ title: CANARY }] })
    },
  )
})

describe.each(POLICY_STORES)('a rule of a global on $name', (store) => {
  const results: readonly (() => unknown)[] = [
    () => {
      throw new Error('cannot tell')
    },
    () => ({ page: { exists: true } }),
    () => undefined,
  ]

  test.each(results)(
    'that has no usable answer is in the way of those alone who ask about the global',
    async (result) => {
      await using service = await store.open<typeof config>(config)
      const ada = people.caller('ada')
      doorRule = () => true
      fieldRule = () => true
      rule = () => true
      const page = await service.content.as(ada).create('pages', { title: 'P' })
      const other = await service.content.as(ada).create('pages', { title: 'Q' })
      await service.content.as(ada).writeGlobal('door', { page: page.id })
      doorRule = result
      const failed = { code: 'INTERNAL_ERROR' }
      await expect(service.content.as(ada).readGlobal('door')).rejects.toMatchObject(failed)
      await expect(service.content.as(ada).writeGlobal('door', { page: null })).rejects.toMatchObject(failed)
      await expect(service.content.as(ada).delete('pages', page.id)).rejects.toMatchObject(failed)
      await service.content.as(ada).delete('pages', other.id)
      expect((await service.content.as(ada).list('pages')).total).toBe(1)
    },
  )
})

describe.each(POLICY_STORES)('a rule of a field with a result other than true on $name', (store) => {
  const results: readonly unknown[] = [undefined, null, 'yes', 1, {}, Promise.resolve(true)]

  test('hides the field, and rejects writes', async () => {
    await using service = await store.open<typeof config>(config)
    const ann = people.caller('ann')
    rule = () => true
    fieldRule = () => true
    const { id } = await service.content.as(ann).create('notes', { title: 'a', odd: CANARY })
    for (const result of results) {
      fieldRule = () => result
      expect(JSON.stringify(await service.content.as(ann).list('notes'))).not.toContain(CANARY)
      await expect(service.content.as(ann).update('notes', id, { odd: 'x' })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      })
    }
  })

  test('fails the request if it throws, with its name in the log', async () => {
    const log = new RecordingLog()
    await using service = await store.open<typeof config>(config, { log })
    rule = () => true
    fieldRule = () => {
      throw new Error('cannot tell')
    }
    expect((await service.request('/api/notes')).status).toBe(500)
    expect(log.take().filter((line) => line.startsWith('error'))).toEqual([
      expect.stringContaining('notes.fields.odd.access.read'),
    ])
  })
})

/** Results of a rule, each with the number of notes that match. */
const WHERES: readonly (readonly [AccessWhere, number])[] = [
  [{ owner: { eq: 'ann' } }, 2],
  [{ owner: { ne: 'ann' } }, 3],
  [{ owner: { in: ['ann', 'a,b'] } }, 3],
  [{ owner: { in: 'a,b' } }, 1],
  [{ owner: { in: [] } }, 0],
  [{ owner: { nin: [] } }, 5],
  [{ owner: { exists: false } }, 1],
  [{ owner: { startsWith: 'a' } }, 3],
  [{ rank: { gte: 2, lt: 4 } }, 2],
  [{ flag: { eq: true } }, 1],
  [{ day: { lte: '2026-02-01' } }, 1],
  [{ labels: { in: ['red'] } }, 2],
  [{ labels: { all: ['red', 'green'] } }, 1],
  [{ labels: { exists: false } }, 3],
  [{ not: { labels: { in: ['red'] } } }, 3],
  [{ secret: { eq: 's' } }, 1],
  [{ 'next.owner': { eq: 'ann' } }, 1],
  [{ 'links.rank': { gte: 2 } }, 1],
  [{ and: [{ owner: { eq: 'ann' } }, { rank: { gt: 1 } }] }, 1],
  [{ or: [{ rank: { eq: 1 } }, { not: { owner: { exists: true } } }] }, 2],
  [{ id: { in: [] } }, 0],
  [{ title: { eq: "'; DROP TABLE notes; --" } }, 0],
]

describe.each(POLICY_STORES)('a where of a rule on $name', (store) => {
  let service: StoredService<typeof config>
  const titles = async (query: object = {}): Promise<readonly string[]> =>
    (await service.content.as(people.caller('ann')).list('notes', { sort: 'title', ...query })).items.map(
      ({ title }) => title,
    )

  beforeAll(async () => {
    fieldRule = () => true
    service = await store.open<typeof config>(config)
    const caller = people.caller('ada')
    const make = (data: Parameters<typeof service.content.create<'notes'>>[1]) =>
      service.content.as(caller).create('notes', data)
    const a = await make({ title: 'a', owner: 'ann', rank: 1, labels: ['red'], secret: 's' })
    const b = await make({ title: 'b', owner: 'ann', rank: 2, labels: ['red', 'green'], day: '2026-01-31' })
    await make({ title: 'c', owner: 'a,b', rank: 3, next: a.id })
    await make({ title: 'd', owner: 'bob', rank: 4, flag: true, links: [a.id, b.id] })
    await make({ title: 'e' })
  })
  afterAll(() => service.close())
  beforeEach(() => {
    rule = () => true
  })

  test.each(WHERES)('%j admits the same entries on every route', async (where, count) => {
    const all = await service.content.as(people.caller('ada')).list('notes', { sort: 'title' })
    rule = () => where
    const shown = await titles()
    expect(shown).toHaveLength(count)
    expect(await titles({ limit: 0 })).toEqual([])
    expect((await service.content.as(people.caller('ann')).list('notes')).total).toBe(count)
    for (const { id, title, slug } of all.items) {
      const isShown = shown.includes(title)
      for (const address of [id, slug]) {
        const entry = await service.content.as(people.caller('ann')).get('notes', address)
        expect(entry?.title, address).toBe(isShown ? title : undefined)
      }
      const changed = service.content.as(people.caller('ann')).update('notes', id, {})
      await (isShown
        ? expect(changed).resolves.toMatchObject({ title })
        : expect(changed).rejects.toMatchObject({ code: 'NOT_FOUND' }))
    }
  })
})
