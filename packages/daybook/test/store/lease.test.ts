import { join } from 'node:path'
import { defineConfig, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import * as fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { IDEMPOTENCY_RECORD_LIFETIME_MS, sweep } from '../../src/content/sweep.ts'
import { Lease, LeaseLost } from '../../src/store/records/lease.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { Store } from '../../src/store/store.ts'
import { PostgresDatabase } from '../support/postgres/postgres-database.ts'
import { slowMachinePostgres } from '../support/postgres/slow-machine-postgres.ts'

const config = defineConfig({ collections: { notes: { fields: { text: f.text() } } } })

/** Stores of several nodes on one database. */
interface Nodes extends AsyncDisposable {
  readonly stores: readonly Store[]
}

const COUNT = 3

const KINDS: Readonly<Record<string, () => Promise<Nodes>>> = {
  async sqlite() {
    const service = await createTestService(config)
    const stores = Array.from({ length: COUNT }, () => new Store(openSqlite(join(service.data, 'daybook.db'))))
    const end = async (): Promise<void> => {
      for (const store of stores) await store.close()
      await service.close()
    }
    return { stores, [Symbol.asyncDispose]: end }
  },
  async postgres() {
    const database = await PostgresDatabase.make()
    await (await createTestService({ ...config, database: slowMachinePostgres(database.url) })).close()
    const opened = Array.from({ length: COUNT }, async () => new Store(await slowMachinePostgres(database.url).open()))
    const stores = await Promise.all(opened)
    const end = async (): Promise<void> => {
      for (const store of stores) await store.close()
      await database[Symbol.asyncDispose]()
    }
    return { stores, [Symbol.asyncDispose]: end }
  },
}

const HOUR_MS = 3_600_000
const EMPTY_RESPONSE = { request: 'r', status: 201, headers: '{}', body: '' } as const

describe.each(Object.entries(KINDS))('a lease on %s', (_kind, open) => {
  let nodes: Nodes
  let stores: readonly [Store, Store, Store]

  beforeEach(async () => {
    nodes = await open()
    stores = nodes.stores as unknown as typeof stores
    return () => nodes[Symbol.asyncDispose]()
  })

  /** Stores an idempotency record as the holder of the lease. */
  const save = (lease: Lease, key: string): Promise<void> =>
    lease.write((writer) =>
      writer.system.saveIdempotencyRecord({ ...EMPTY_RESPONSE, key, at: '2026-01-01' }, '2000-01-01'),
    )

  const isSaved = async (key: string): Promise<boolean> =>
    (await stores[0].read.system.idempotencyRecord(key)) !== undefined

  /** Ends a lease as its expiry would. */
  async function expire(name: string): Promise<void> {
    await stores[0].transaction(async (writer) => {
      for (let token = 0; token < 100; token++)
        if (await writer.leases.holds(name, token)) await writer.leases.end(name, token)
    })
  }

  test('has one holder: of concurrent claims one succeeds, and its holder can extend it', async () => {
    const leases = stores.map((store) => new Lease(store, 'one', HOUR_MS))
    const results = await Promise.all(leases.map((lease) => lease.take()))
    expect(results.filter((isHolder) => isHolder)).toHaveLength(1)
    const holder = leases[results.indexOf(true)] as Lease
    for (let round = 0; round < 3; round++) {
      expect(await holder.take()).toBe(true)
      for (const other of leases) if (other !== holder) expect(await other.take()).toBe(false)
    }
  })

  test('does not affect leases of other names', async () => {
    const [a, b] = [new Lease(stores[0], 'a', HOUR_MS), new Lease(stores[1], 'b', HOUR_MS)]
    expect(await Promise.all([a.take(), b.take()])).toEqual([true, true])
    await Promise.all([save(a, 'of a'), save(b, 'of b')])
    expect([await isSaved('of a'), await isSaved('of b')]).toEqual([true, true])
  })

  test('expires by the clock of the database, and the next holder gets a new token', async () => {
    const [a, b] = [new Lease(stores[0], 'one', 1), new Lease(stores[1], 'one', HOUR_MS)]
    expect(await a.take()).toBe(true)
    while (!(await b.take()));
    await expect(save(a, 'late')).rejects.toThrow(LeaseLost)
    expect(await isSaved('late')).toBe(false)
    await save(b, 'mine')
    expect(await isSaved('mine')).toBe(true)
    expect(await a.take()).toBe(false)
  })

  test('that has expired rejects writes, even if nobody else holds it', async () => {
    const lease = new Lease(stores[0], 'one', HOUR_MS)
    await expect(save(lease, 'early')).rejects.toThrow(LeaseLost)
    await lease.take()
    await expire('one')
    await expect(save(lease, 'late')).rejects.toThrow(LeaseLost)
    expect([await isSaved('early'), await isSaved('late')]).toEqual([false, false])
    expect(await lease.take()).toBe(true)
    await save(lease, 'again')
    expect(await isSaved('again')).toBe(true)
  })

  test('is free at once when released; releasing a lost lease has no effect', async () => {
    const [a, b] = [new Lease(stores[0], 'one', HOUR_MS), new Lease(stores[1], 'one', HOUR_MS)]
    await a.take()
    await a.release()
    await expect(save(a, 'released')).rejects.toThrow(LeaseLost)
    expect(await b.take()).toBe(true)
    await a.release()
    await expire('one')
    expect(await a.take()).toBe(true)
    await b.release()
    await save(a, 'still mine')
    expect([await isSaved('released'), await isSaved('still mine')]).toEqual([false, true])
  })

  test('gives each holder a higher token than the previous one', async () => {
    const claim = (holder: string) => ({ name: 'one', holder, ms: HOUR_MS })
    const tokens: unknown[] = []
    for (const [index, store] of [...stores, ...stores].entries()) {
      tokens.push(await store.transaction((writer) => writer.leases.take(claim(`holder ${index}`))))
      await expire('one')
    }
    expect(tokens).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('has at most one holder who can write, whatever the nodes do', async () => {
    const step = fc.record({
      node: fc.nat({ max: COUNT - 1 }),
      action: fc.constantFrom('take', 'write', 'release', 'expire'),
    })
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        run += 1
        const name = `lease ${run}`
        const leases = stores.map((store) => new Lease(store, name, HOUR_MS))
        /** The expected holder. */
        let holder: number | undefined
        const actions = {
          take: async (lease: Lease, node: number) => {
            const isFree = holder === undefined || holder === node
            expect(await lease.take()).toBe(isFree)
            if (isFree) holder = node
          },
          write: async (lease: Lease, node: number, key: string) => {
            const result = await save(lease, key).catch((error) => error)
            expect(result instanceof LeaseLost).toBe(holder !== node)
            expect(await isSaved(key)).toBe(holder === node)
          },
          release: async (lease: Lease, node: number) => {
            await lease.release()
            if (holder === node) holder = undefined
          },
          expire: async () => {
            await expire(name)
            holder = undefined
          },
        }
        for (const [index, { node, action }] of steps.entries())
          await actions[action](leases[node] as Lease, node, `${name} ${index}`)
      }),
      { numRuns: 25 },
    )
  })

  test('to sweep is taken by one of several nodes, which drops only expired records', async () => {
    const at = (ms: number): string => new Date(Date.now() + ms).toISOString()
    const times = {
      old: at(-IDEMPOTENCY_RECORD_LIFETIME_MS - 60_000),
      recent: at(-IDEMPOTENCY_RECORD_LIFETIME_MS + 60_000),
      new: at(0),
    }
    await stores[0].transaction(async (writer) => {
      for (const [key, at] of Object.entries(times))
        await writer.system.saveIdempotencyRecord({ ...EMPTY_RESPONSE, key, at }, '2000')
    })
    const swept = await Promise.all(stores.map((store) => sweep(new Lease(store, 'sweep', HOUR_MS))))
    expect(swept).toContain(true)
    expect([await isSaved('old'), await isSaved('recent'), await isSaved('new')]).toEqual([false, true, true])
    // The sweep releases its lease.
    expect(await sweep(new Lease(stores[1], 'sweep', HOUR_MS))).toBe(true)
  })

  test('to sweep that another node holds prevents a second sweep', async () => {
    await new Lease(stores[0], 'sweep', HOUR_MS).take()
    await stores[0].transaction((writer) =>
      writer.system.saveIdempotencyRecord({ ...EMPTY_RESPONSE, key: 'old', at: '2001' }, '2000'),
    )
    expect(await sweep(new Lease(stores[1], 'sweep', HOUR_MS))).toBe(false)
    expect(await isSaved('old')).toBe(true)
  })
})
