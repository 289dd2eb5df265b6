import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/store/database.ts'
import { rawStatement } from '../../src/store/statement.ts'
import { PostgresDatabase } from '../support/postgres/postgres-database.ts'
import { slowMachinePostgres } from '../support/postgres/slow-machine-postgres.ts'
import { eventually } from '../support/timeouts.ts'

let server: PostgresDatabase
let database: Database

beforeAll(async () => {
  server = await PostgresDatabase.make()
  database = await slowMachinePostgres(server.url, { statementMs: 600_000 }).open()
})

afterAll(async () => {
  await database.close()
  await server[Symbol.asyncDispose]()
})

const PID = rawStatement<{ readonly pid: number }>('SELECT pg_backend_pid() AS pid')
const readPid = async (): Promise<number | undefined> => (await database.reader.get(PID))?.pid

/** Retries: on a busy machine, a short read may take so long that the reads behind it move to another connection. */
const inTime = eventually

/** A read that runs until it is cancelled. */
const SLOW = rawStatement('SELECT pg_sleep(601)')

/** Cancels or terminates each session that runs a slow read. */
const endSlowReads = (how: 'pg_cancel_backend' | 'pg_terminate_backend'): Promise<readonly unknown[]> =>
  server.rows(`SELECT ${how}(pid) FROM pg_stat_activity WHERE state = 'active' AND query = 'SELECT pg_sleep(601)'`)

class SlowRead {
  outcome: unknown
  readonly over: Promise<void> = database.reader.get(SLOW).then(
    () => this.#end('resolved'),
    ({ code }) => this.#end(code),
  )

  #end(outcome: unknown): void {
    this.outcome = outcome
  }

  /** Cancels it, again and again: a session that is just ending may still run the statement for a moment. */
  async cancel(): Promise<void> {
    await eventually(async () => {
      await endSlowReads('pg_cancel_backend')
      expect(this.outcome).toBe('SERVICE_UNAVAILABLE')
    })
  }
}

describe('concurrent reads', () => {
  test('share a connection, eight at a time', async () => {
    await inTime(async () => {
      const pids = await Promise.all(Array.from({ length: 16 }, readPid))
      expect(new Set(pids.slice(0, 8)).size).toBe(1)
      expect(new Set(pids.slice(8)).size).toBe(1)
      expect(new Set(pids).size).toBe(2)
    })
  })

  test('each get their own result or error', async () => {
    const numbers = Array.from({ length: 8 }, (_, index) =>
      rawStatement<{ readonly number: number }>(`SELECT ${index} AS number`),
    )
    const reads = numbers.map((number, index) =>
      index === 2 ? database.reader.get(rawStatement('SELECT 1 / 0 AS number')) : database.reader.get(number),
    )
    const results = await Promise.allSettled(reads)
    const outcome = results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.code))
    expect(outcome).toEqual([0, 1, '22012', 3, 4, 5, 6, 7].map((item) => (item === '22012' ? item : { number: item })))
  })

  test('each get the error of a statement that they share', async () => {
    const reads = Array.from({ length: 3 }, () => database.reader.get(rawStatement('SELECT one FROM nowhere')))
    const results = await Promise.allSettled(reads)
    // On one connection, the reads behind the first would fail with "prepared statement does not exist" (26000).
    expect(results.map((result) => result.status === 'rejected' && result.reason.code)).toEqual([
      '42P01',
      '42P01',
      '42P01',
    ])
  })

  test('do not wait for a slow one', async () => {
    const first = new SlowRead()
    const behind = Promise.all([readPid(), readPid(), readPid()])
    expect(await Promise.race([first.over, behind])).toEqual([
      expect.any(Number),
      expect.any(Number),
      expect.any(Number),
    ])
    await first.cancel()
    expect(await readPid()).toEqual(expect.any(Number))
  })

  test('release their connection, even if the last of them is slow', async () => {
    await inTime(async () => {
      const [shared] = await Promise.all([readPid(), database.reader.get(rawStatement('SELECT pg_sleep(0.6)'))])
      expect(await readPid()).toBe(shared)
    })
  })

  test('succeed even if their session is terminated', async () => {
    const before = await readPid()
    const first = new SlowRead()
    const behind = Promise.all([readPid(), readPid(), readPid()])
    await eventually(async () => expect(await endSlowReads('pg_terminate_backend')).not.toEqual([]))
    expect(await behind).not.toContain(before)
    // The slow read was retried on another connection.
    await first.cancel()
  })
})
