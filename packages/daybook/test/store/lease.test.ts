import { join } from 'node:path'
import { defineConfig, f } from 'daybook'
import { postgres } from 'daybook/postgres'
import { createTestService } from 'daybook/testing'
import * as fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { IDEMPOTENCY_RECORD_LIFETIME_MS, sweep } from '../../src/content/sweep.ts'
import { Lease, LeaseLost } from '../../src/store/records/lease.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { Store } from '../../src/store/store.ts'
import { patientPostgres } from '../support/postgres/patient-postgres.ts'
import { PostgresDatabase } from '../support/postgres/postgres-database.ts'

const config = defineConfig({ collections: { notes: { fields: { text: f.text() } } } })

/** As many stores as there are nodes, on one database. */
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
    await (await createTestService({ ...config, database: patientPostgres(database.url) })).close()
    const opened = Array.from({ length: COUNT }, async () => new Store(await postgres(database.url).open()))
    const stores = await Promise.all(opened)
    const end = async (): Promise<void> => {
      for (const store of stores) await store.close()
      await database[Symbol.asyncDispose]()
    }
    return { stores, [Symbol.asyncDispose]: end }
  },
}

const HOUR_MS = 3_600_000
const NOTHING_KEPT = { request: 'r', status: 201, headers: '{}', body: '' } as const

describe.each(Object.entries(KINDS))('a lease on %s', (_kind, open) => {
  let nodes: Nodes
  let stores: readonly [Store, Store, Store]

  beforeEach(async () => {
    nodes = await open()
    stores = nodes.stores as unknown as typeof stores
    return () => nodes[Symbol.asyncDispose]()
  })

  /** Keeps an answer under a key: something that is written, and seen. */
  const keep = (lease: Lease, key: string): Promise<void> =>
    lease.write((writer) =>
      writer.system.saveIdempotencyRecord({ ...NOTHING_KEPT, key, at: '2026-01-01' }, '2000-01-01'),
    )

  const isKept = async (key: string): Promise<boolean> =>
    (await stores[0].read.system.idempotencyRecord(key)) !== undefined

  /** Brings the end of a lease about, as time does. */
  async function runOut(name: string): Promise<void> {
    await stores[0].transaction(async (writer) => {
      for (let token = 0; token < 100; token++)
        if (await writer.leases.holds(name, token)) await writer.leases.end(name, token)
    })
  }

  test('has one holder: of those who ask at once one gets it, and keeps it while it asks again', async () => {
    const leases = stores.map((store) => new Lease(store, 'one', HOUR_MS))
    const taken = await Promise.all(leases.map((lease) => lease.take()))
    expect(taken.filter((is) => is)).toHaveLength(1)
    const holder = leases[taken.indexOf(true)] as Lease
    for (let round = 0; round < 3; round++) {
      expect(await holder.take()).toBe(true)
      for (const other of leases) if (other !== holder) expect(await other.take()).toBe(false)
    }
  })

  test('is one among others: names do not mind each other', async () => {
    const [a, b] = [new Lease(stores[0], 'a', HOUR_MS), new Lease(stores[1], 'b', HOUR_MS)]
    expect(await Promise.all([a.take(), b.take()])).toEqual([true, true])
    await Promise.all([keep(a, 'of a'), keep(b, 'of b')])
    expect([await isKept('of a'), await isKept('of b')]).toEqual([true, true])
  })

  test('ends by itself, by the clock of the database, and the next holder has another token', async () => {
    const [a, b] = [new Lease(stores[0], 'one', 1), new Lease(stores[1], 'one', HOUR_MS)]
    expect(await a.take()).toBe(true)
    while (!(await b.take()));
    await expect(keep(a, 'late')).rejects.toThrow(LeaseLost)
    expect(await isKept('late')).toBe(false)
    await keep(b, 'mine')
    expect(await isKept('mine')).toBe(true)
    expect(await a.take()).toBe(false)
  })

  test('that is over lets nothing be written, even when nobody else has it', async () => {
    const lease = new Lease(stores[0], 'one', HOUR_MS)
    await expect(keep(lease, 'early')).rejects.toThrow(LeaseLost)
    await lease.take()
    await runOut('one')
    await expect(keep(lease, 'late')).rejects.toThrow(LeaseLost)
    expect([await isKept('early'), await isKept('late')]).toEqual([false, false])
    expect(await lease.take()).toBe(true)
    await keep(lease, 'again')
    expect(await isKept('again')).toBe(true)
  })

  test('given back is free at once; who gives back what is no longer theirs disturbs nobody', async () => {
    const [a, b] = [new Lease(stores[0], 'one', HOUR_MS), new Lease(stores[1], 'one', HOUR_MS)]
    await a.take()
    await a.release()
    await expect(keep(a, 'given back')).rejects.toThrow(LeaseLost)
    expect(await b.take()).toBe(true)
    await a.release()
    await runOut('one')
    expect(await a.take()).toBe(true)
    await b.release()
    await keep(a, 'still mine')
    expect([await isKept('given back'), await isKept('still mine')]).toEqual([false, true])
  })

  test('gives each holder a higher token than the one before', async () => {
    const claim = (holder: string) => ({ name: 'one', holder, ms: HOUR_MS })
    const tokens: unknown[] = []
    for (const [index, store] of [...stores, ...stores].entries()) {
      tokens.push(await store.transaction((writer) => writer.leases.take(claim(`holder ${index}`))))
      await runOut('one')
    }
    expect(tokens).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('has at most one holder who can write, whatever they do and however long they sleep (N4)', async () => {
    const step = fc.record({
      who: fc.nat({ max: COUNT - 1 }),
      does: fc.constantFrom('take', 'write', 'release', 'runOut'),
    })
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        run += 1
        const name = `lease ${run}`
        const leases = stores.map((store) => new Lease(store, name, HOUR_MS))
        /** Who has it, as it should be. */
        let holder: number | undefined
        const acts = {
          take: async (lease: Lease, who: number) => {
            const isFree = holder === undefined || holder === who
            expect(await lease.take()).toBe(isFree)
            if (isFree) holder = who
          },
          write: async (lease: Lease, who: number, key: string) => {
            const told = await keep(lease, key).catch((error) => error)
            expect(told instanceof LeaseLost).toBe(holder !== who)
            expect(await isKept(key)).toBe(holder === who)
          },
          release: async (lease: Lease, who: number) => {
            await lease.release()
            if (holder === who) holder = undefined
          },
          runOut: async () => {
            await runOut(name)
            holder = undefined
          },
        }
        for (const [index, { who, does }] of steps.entries())
          await acts[does](leases[who] as Lease, who, `${name} ${index}`)
      }),
      { numRuns: 25 },
    )
  })

  test('to sweep is taken by one of those who come at once, who drops what is no longer kept and nothing else', async () => {
    const at = (ms: number): string => new Date(Date.now() + ms).toISOString()
    const answers = {
      old: at(-IDEMPOTENCY_RECORD_LIFETIME_MS - 60_000),
      recent: at(-IDEMPOTENCY_RECORD_LIFETIME_MS + 60_000),
      new: at(0),
    }
    await stores[0].transaction(async (writer) => {
      for (const [key, at] of Object.entries(answers))
        await writer.system.saveIdempotencyRecord({ ...NOTHING_KEPT, key, at }, '2000')
    })
    const swept = await Promise.all(stores.map((store) => sweep(new Lease(store, 'sweep', HOUR_MS))))
    expect(swept).toContain(true)
    expect([await isKept('old'), await isKept('recent'), await isKept('new')]).toEqual([false, true, true])
    // It was given back.
    expect(await sweep(new Lease(stores[1], 'sweep', HOUR_MS))).toBe(true)
  })

  test('to sweep that another node has is left to it', async () => {
    await new Lease(stores[0], 'sweep', HOUR_MS).take()
    await stores[0].transaction((writer) =>
      writer.system.saveIdempotencyRecord({ ...NOTHING_KEPT, key: 'old', at: '2001' }, '2000'),
    )
    expect(await sweep(new Lease(stores[1], 'sweep', HOUR_MS))).toBe(false)
    expect(await isKept('old')).toBe(true)
  })
})
