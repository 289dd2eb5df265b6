import { type BetterAuthOptions, betterAuth } from 'better-auth'
import type { DBAdapter } from 'better-auth/adapters'
import { getMigrations } from 'better-auth/db/migration'
import { admin } from 'better-auth/plugins/admin'
import NativeDatabase from 'better-sqlite3'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { recordDatabase } from '../../src/auth/accounts/record-database.ts'
import { OWNER_FIELDS } from '../../src/auth/accounts/revocation.ts'
import type { AuthRecords } from '../../src/auth/records.ts'
import { sweep } from '../../src/content/sweep.ts'
import { Lease } from '../../src/store/records/lease.ts'
import { MemoryDatabase } from '../../src/store/sqlite/memory-database.ts'
import { Store } from '../../src/store/store.ts'
import type { Place } from '../support/stores/place.ts'
import { STORES, type StoreKind } from '../support/stores/stores.ts'

interface BlankStore {
  readonly place: Place
  readonly store: Store
}

/** Opens a store for each test. Returns a function that returns the current one. */
function useBlankStore(at: StoreKind['at']): () => BlankStore {
  let blank: BlankStore
  beforeEach(async () => {
    const place = await at()
    await place.start({ collections: {} })
    const store = await place.store()
    blank = { place, store }
    return async () => {
      await store.close()
      await place[Symbol.asyncDispose]()
    }
  })
  return () => blank
}

const OPTIONS: BetterAuthOptions = { secret: 'x'.repeat(32), logger: { disabled: true } }
/** Options that give rows the service's additional fields. */
const SERVICE_OPTIONS: BetterAuthOptions = {
  ...OPTIONS,
  verification: { additionalFields: OWNER_FIELDS },
  plugins: [admin()],
}

/** better-auth's own database on SQLite, the reference for records. */
async function reference(): Promise<DBAdapter> {
  const options = { ...OPTIONS, database: new NativeDatabase(':memory:', { timeout: 0 }) as never }
  await (await getMigrations(options)).runMigrations()
  return (await betterAuth(options).$context).adapter as DBAdapter
}

/** A call of the database: its method and parameters. */
type Step = readonly [
  method: 'findOne' | 'findMany' | 'count' | 'create' | 'update' | 'updateMany' | 'deleteMany' | 'consumeOne',
  given: object,
]

const id = fc.constantFrom('a', 'b', 'c', 'd')
const identifier = fc.constantFrom('one', 'two', 'three')
const value = fc.constantFrom('x', 'xy', 'yz')
const expiresAt = fc.constantFrom(1, 2, 3).map((day) => new Date(Date.UTC(2026, 0, day)))
const text = { identifier, value }

const clause = fc.oneof(
  fc.record({ field: fc.constant('id'), value: id }),
  fc.record({ field: fc.constant('id'), operator: fc.constant('in'), value: fc.array(id, { minLength: 1 }) }),
  fc.record({ field: fc.constant('identifier'), value: identifier }),
  fc.record({
    field: fc.constant('identifier'),
    operator: fc.constant('in'),
    value: fc.array(identifier, { minLength: 1 }),
  }),
  fc.record({
    field: fc.constant('value'),
    operator: fc.constantFrom('eq', 'ne', 'contains', 'starts_with', 'ends_with'),
    value,
  }),
  fc.record({ field: fc.constant('expiresAt'), operator: fc.constantFrom('lt', 'lte', 'gt', 'gte'), value: expiresAt }),
)
const joined = fc
  .tuple(clause, fc.constantFrom('AND', 'OR'))
  .map(([condition, connector]) => ({ ...condition, connector }))
const where = fc.array(joined, { minLength: 1, maxLength: 3 })
const model = fc.constant('verification')
const byId = { field: 'id', direction: 'asc' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(
      fc.constant('create' as const),
      fc.record({ model, data: fc.record({ id, ...text, expiresAt }), forceAllowId: fc.constant(true) }),
    ),
  },
  fc.tuple(
    fc.constantFrom('findMany' as const, 'count' as const),
    fc.record({ model, where, sortBy: fc.constant(byId) }),
  ),
  fc.tuple(
    fc.constant('findMany' as const),
    fc.record({ model, sortBy: fc.constant(byId), limit: fc.constant(2), offset: fc.nat(2) }),
  ),
  fc.tuple(fc.constant('updateMany' as const), fc.record({ model, where, update: fc.record(text) })),
  fc.tuple(
    fc.constantFrom('findOne' as const, 'update' as const, 'consumeOne' as const),
    fc.record({ model, where: id.map((value) => [{ field: 'id', value }]), update: fc.record(text) }),
  ),
  fc.tuple(fc.constant('deleteMany' as const), fc.record({ model, where })),
)

/** A result without the parts that differ between runs. */
function settled(result: unknown): unknown {
  return JSON.parse(JSON.stringify(result ?? null), (key, member) =>
    key === 'createdAt' || key === 'updatedAt' ? undefined : member,
  )
}

async function run(database: DBAdapter, [method, parameters]: Step): Promise<unknown> {
  const call = database[method] as (parameters: object) => Promise<unknown>
  return settled(await call(parameters).catch(() => 'refused'))
}

const RECORDS = [
  ...STORES.map(({ at, name }) => ({
    name,
    useRecords: () => {
      const blank = useBlankStore(at)
      return (): AuthRecords => blank().store.records
    },
  })),
  {
    name: 'memory',
    useRecords: () => {
      let store: Store
      beforeEach(() => {
        store = new Store(new MemoryDatabase())
        return () => store.close()
      })
      return (): AuthRecords => store.records
    },
  },
]

describe.each(RECORDS)('records as a database of better-auth on $name', ({ name, useRecords }) => {
  const records = useRecords()
  const open = (options = OPTIONS): DBAdapter => recordDatabase(records(), () => {})(options)

  test('return the same results as its own tables', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
        const [records, tables] = [open(), await reference()]
        await records.deleteMany({ model: 'verification', where: [] })
        for (const step of steps)
          expect(await run(records, step), JSON.stringify(step)).toEqual(await run(tables, step))
      }),
      { numRuns: name === 'postgres' ? 20 : 60 },
    )
  })

  const user = (email: string) => ({
    model: 'user',
    data: { email, name: 'X', emailVerified: false, createdAt: new Date(), updatedAt: new Date() },
  })

  test('run a transaction as a whole or not at all, and read its own writes', async () => {
    const database = open()
    const broken = database.transaction(async (inner) => {
      await inner.create(user('ann@example.org'))
      expect(await inner.count({ model: 'user' })).toBe(1)
      throw new Error('oops')
    })
    await expect(broken).rejects.toThrow('oops')
    expect(await database.count({ model: 'user' })).toBe(0)
    await database.transaction(async (inner) => {
      await inner.create(user('ann@example.org'))
      await inner.create(user('ben@example.org'))
    })
    expect(await database.count({ model: 'user' })).toBe(2)
    await expect(database.transaction((inner) => inner.create(user('ann@example.org')))).rejects.toThrow('taken: email')
  })

  test('block no other writer before a transaction writes', async () => {
    const database = open()
    await database.transaction(async (inner) => {
      expect(await inner.findOne({ model: 'user', where: [{ field: 'email', value: 'ann@example.org' }] })).toBeNull()
      await database.create(user('ann@example.org'))
      expect(await inner.count({ model: 'user' })).toBe(1)
    })
  })

  test('delete sessions and links of an account in the change that revokes them, and with the account', async () => {
    const database = open(SERVICE_OPTIONS)
    const times = { createdAt: new Date(), updatedAt: new Date(), expiresAt: new Date(Date.now() + 3_600_000) }
    const begin = async (email: string) => {
      const { id: userId } = await database.create<{ id: string }>(user(email))
      const account = { userId, accountId: userId, providerId: 'credential', password: 'a', ...times }
      await database.create({ model: 'account', data: account })
      await database.create({ model: 'session', data: { userId, token: `token of ${email}`, ...times } })
      for (const identifier of ['a', 'b'])
        await database.create({ model: 'verification', data: { identifier, value: userId, userId, ...times } })
      return userId
    }
    const left = async (userId: string) => {
      const where = [{ field: 'userId', value: userId }]
      return [await database.count({ model: 'session', where }), await database.count({ model: 'verification', where })]
    }
    const [ann, ben, eve] = [
      await begin('ann@example.org'),
      await begin('ben@example.org'),
      await begin('eve@example.org'),
    ]
    await database.update({ model: 'account', where: [{ field: 'userId', value: ann }], update: { password: 'b' } })
    expect([await left(ann), await left(ben), await left(eve)]).toEqual([
      [0, 0],
      [1, 2],
      [1, 2],
    ])
    await database.update({ model: 'user', where: [{ field: 'id', value: ben }], update: { banned: true } })
    expect([await left(ben), await left(eve)]).toEqual([
      [0, 0],
      [1, 2],
    ])
    await database.delete({ model: 'user', where: [{ field: 'id', value: eve }] })
    expect(await left(eve)).toEqual([0, 0])
  })

  test('let one of several concurrent callers consume a row', async () => {
    const database = open()
    const { id: ownId } = await database.create<{ id: string }>({
      model: 'verification',
      data: {
        identifier: 'left',
        value: '3',
        expiresAt: new Date(),
        createdAt: new Date(),
        updatedAt: new Date(),
      } as never,
    })
    const where = [{ field: 'id', value: ownId }]
    const consumed = await Promise.all(
      Array.from({ length: 20 }, () => database.consumeOne({ model: 'verification', where })),
    )
    expect(consumed.filter((row) => row !== null)).toHaveLength(1)
  })

  test('store a transaction that runs beside a failing write', async () => {
    const queued = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const all = records()
    const transaction: AuthRecords['transaction'] = (work, options) => {
      const result = all.transaction(work, options)
      queued.resolve()
      return result
    }
    const first = all.transaction(() => release.promise)
    const database = recordDatabase({ ...all, transaction }, () => {})(OPTIONS)
    const created = database.transaction((inner) => inner.create(user('ann@example.org')))
    await queued.promise
    const failed = all.transaction(async (writer) => {
      await writer.put('thing', { id: 'a' })
      throw new Error('oops')
    })
    release.resolve()
    await expect(failed).rejects.toThrow('oops')
    await Promise.all([first, created])
    expect(await database.count({ model: 'user' })).toBe(1)
  })

  test('are found by long values', async () => {
    const database = open()
    const email = `${'x'.repeat(5000)}@example.org`
    await database.create(user(email))
    expect(await database.findOne({ model: 'user', where: [{ field: 'email', value: email }] })).toMatchObject({
      email,
    })
    await expect(database.create(user(email))).rejects.toThrow('taken: email')
  })
})

const HOUR = 3_600_000

describe.each(STORES)('records of adapters on $name', ({ at }) => {
  const blank = useBlankStore(at)

  test('are found by id and by current keys, not by former ones', async () => {
    const { records } = blank().store
    const put = (name: string) =>
      records.transaction((writer) => writer.put('thing', { id: 'a', name }, { keys: { name }, unique: ['name'] }))
    await put('one')
    await put('other')
    expect(await records.get('thing', 'a')).toEqual({ id: 'a', name: 'other' })
    expect(await records.find('thing', 'name', 'other')).toEqual([{ id: 'a', name: 'other' }])
    expect(await records.find('thing', 'name', 'one')).toEqual([])
    expect(await records.get('another kind', 'a')).toBeUndefined()
    expect(await records.find('another kind', 'name', 'other')).toEqual([])
  })

  test('are stored by a transaction as a whole or not at all', async () => {
    const { store } = blank()
    const broken = store.records.transaction(async (writer) => {
      await writer.put('thing', { id: 'a' })
      throw new Error('oops')
    })
    await expect(broken).rejects.toThrow('oops')
    expect(await store.records.list('thing')).toEqual([])
  })

  test('are deleted with their keys a day after they expire', async () => {
    const { place, store } = blank()
    const until = (hours: number) => ({ keys: { name: 'x' }, until: Date.now() + hours * HOUR })
    await store.records.transaction(async (writer) => {
      await writer.put('thing', { id: 'long over' }, until(-25))
      await writer.put('thing', { id: 'just over' }, until(-1))
      await writer.put('thing', { id: 'still good' }, until(1))
      await writer.put('thing', { id: 'for good' }, { keys: { name: 'x' } })
    })
    expect(await sweep(new Lease(store, 'sweep', 60_000))).toBe(true)
    const left = (await store.records.list('thing')).map(({ id }) => id)
    expect(left).toEqual(['for good', 'just over', 'still good'])
    expect(await place.rows('SELECT id FROM daybook$record_keys ORDER BY id')).toEqual(left.map((id) => ({ id })))
  })
})
