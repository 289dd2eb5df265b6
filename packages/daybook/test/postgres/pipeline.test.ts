import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/store/database.ts'
import { rawStatement } from '../../src/store/statement.ts'
import { eventually } from '../support/patience.ts'
import { patientPostgres } from '../support/postgres/patient-postgres.ts'
import { PostgresDatabase } from '../support/postgres/postgres-database.ts'

let server: PostgresDatabase
let database: Database

beforeAll(async () => {
  server = await PostgresDatabase.make()
  database = await patientPostgres(server.url, { statementMs: 600_000 }).open()
})

afterAll(async () => {
  await database.close()
  await server[Symbol.asyncDispose]()
})

const PID = rawStatement<{ readonly pid: number }>('SELECT pg_backend_pid() AS pid')
const pidOf = async (): Promise<number | undefined> => (await database.reader.get(PID))?.pid

/** On a busy machine a short read may take so long that those behind it are asked elsewhere: then once more. */
const inTime = eventually

/** A read that runs until somebody ends it. */
const HELD = rawStatement('SELECT pg_sleep(601)')

/** Does something to each session in which such a read is running. */
const toSessions = (what: 'pg_cancel_backend' | 'pg_terminate_backend'): Promise<readonly unknown[]> =>
  server.rows(`SELECT ${what}(pid) FROM pg_stat_activity WHERE state = 'active' AND query = 'SELECT pg_sleep(601)'`)

/** Such a read, and what became of it. */
class HeldRead {
  told: unknown
  readonly over: Promise<void> = database.reader.get(HELD).then(
    () => this.#tell('answered'),
    ({ code }) => this.#tell(code),
  )

  #tell(what: unknown): void {
    this.told = what
  }

  /** Ends it; a session that is just ending has it, too, for a moment. */
  async refuse(): Promise<void> {
    await eventually(async () => {
      await toSessions('pg_cancel_backend')
      expect(this.told).toBe('SERVICE_UNAVAILABLE')
    })
  }
}

describe('reads that are asked at once', () => {
  test('share a connection, eight at a time', async () => {
    await inTime(async () => {
      const pids = await Promise.all(Array.from({ length: 16 }, pidOf))
      expect(new Set(pids.slice(0, 8)).size).toBe(1)
      expect(new Set(pids.slice(8)).size).toBe(1)
      expect(new Set(pids).size).toBe(2)
    })
  })

  test('are answered one by one: each has its own result, and its own error', async () => {
    const numbers = Array.from({ length: 8 }, (_, index) =>
      rawStatement<{ readonly number: number }>(`SELECT ${index} AS number`),
    )
    const reads = numbers.map((number, index) =>
      index === 2 ? database.reader.get(rawStatement('SELECT 1 / 0 AS number')) : database.reader.get(number),
    )
    const results = await Promise.allSettled(reads)
    const told = results.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.code))
    expect(told).toEqual([0, 1, '22012', 3, 4, 5, 6, 7].map((one) => (one === '22012' ? one : { number: one })))
  })

  test('learn each what is wrong with a statement that several ask', async () => {
    const reads = Array.from({ length: 3 }, () => database.reader.get(rawStatement('SELECT one FROM nowhere')))
    const results = await Promise.allSettled(reads)
    // On one connection, those behind the first would be told that nothing is prepared under their name (26000).
    expect(results.map((one) => one.status === 'rejected' && one.reason.code)).toEqual(['42P01', '42P01', '42P01'])
  })

  test('do not wait for one that is held up', async () => {
    const first = new HeldRead()
    const others = Promise.all([pidOf(), pidOf(), pidOf()])
    expect(await Promise.race([first.over, others])).toEqual([
      expect.any(Number),
      expect.any(Number),
      expect.any(Number),
    ])
    await first.refuse()
    expect(await pidOf()).toEqual(expect.any(Number))
  })

  test('leave their connection to others, also when the last of them takes its time', async () => {
    await inTime(async () => {
      const [shared] = await Promise.all([pidOf(), database.reader.get(rawStatement('SELECT pg_sleep(0.6)'))])
      expect(await pidOf()).toBe(shared)
    })
  })

  test('are answered, too, when their session ends under one of them', async () => {
    const before = await pidOf()
    const first = new HeldRead()
    const others = Promise.all([pidOf(), pidOf(), pidOf()])
    await eventually(async () => expect(await toSessions('pg_terminate_backend')).not.toEqual([]))
    expect(await others).not.toContain(before)
    // It is asked anew.
    await first.refuse()
  })
})
