import { setTimeout as sleep } from 'node:timers/promises'
import { defineCollection, defineConfig, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { FaultyProxy } from '../support/network/faulty-proxy.ts'
import { queryOnce, superuserUrlOf } from '../support/postgres/postgres-connection.ts'
import { PostgresDatabase } from '../support/postgres/postgres-database.ts'
import { PostgresServer } from '../support/postgres/postgres-server.ts'
import { slowMachinePostgres } from '../support/postgres/slow-machine-postgres.ts'
import { expectQuietProcess } from '../support/scenarios/sane.ts'
import type { TestResponse } from '../support/scenarios/transports.ts'
import { askExport, exportOf } from '../support/stores/export.ts'
import { create } from '../support/stores/place.ts'
import { eventually, WAIT_TIMEOUT_MS } from '../support/timeouts.ts'
import { Load, send } from './load.ts'
import { Lock } from './lock.ts'
import { posts } from './posts.ts'

/** Ten connections that read, two that write, and one that watches. */
const MOST_CONNECTIONS = 13
/** A statement timeout far above the deadline of the tests, so that no request can end by it, in milliseconds. */
const STATEMENT_MS = 10 * WAIT_TIMEOUT_MS

let server: PostgresServer
let network: FaultyProxy
let database: PostgresDatabase

beforeAll(async () => {
  server = await PostgresServer.make()
  return () => server[Symbol.asyncDispose]()
})

beforeEach(async () => {
  database = await PostgresDatabase.make(server.address)
  network = await FaultyProxy.to(server.address.port)
  return async () => {
    await network[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  }
})

afterEach(expectQuietProcess)

/** The URL of the database through the faulty proxy. */
const url = (): string => database.url.replace(`:${server.address.port}/`, `:${network.port}/`)

const open = (options = {}) => createTestService({ ...posts, database: slowMachinePostgres(url(), options) })

async function titles(): Promise<readonly string[]> {
  const rows = await database.rows<{ title: string }>("SELECT doc::json ->> 'title' AS title FROM posts")
  return rows.map(({ title }) => title)
}

async function connections(): Promise<number> {
  const sql = `SELECT count(*)::integer AS n FROM pg_stat_activity WHERE application_name LIKE 'daybook%' AND datname = $1`
  const [row] = await server.rows<{ n: number }>(sql, database.name)
  return Number(row?.n)
}

/** Checks that the journal has one record for each entry, without a gap, and that the head is the last. */
async function expectWholeJournal(): Promise<void> {
  const [row] = await database.rows<object>(
    `SELECT (SELECT seq FROM daybook$head) AS head, count(*) AS n, max(seq) AS last,
      (SELECT count(*) FROM posts) AS posts FROM daybook$journal`,
  )
  const { n } = row as { readonly n: number }
  expect(row).toEqual({ head: n, n, last: n, posts: n })
}

/** Fails if a promise takes too long. */
async function inTime<T>(result: Promise<T>): Promise<T> {
  const late = sleep(WAIT_TIMEOUT_MS, undefined, { ref: false }).then(() =>
    Promise.reject(new Error('No answer came.')),
  )
  return Promise.race([result, late])
}

const statusesOf = (responses: readonly TestResponse[]): readonly number[] => responses.map(({ status }) => status)

async function countWaiting(): Promise<number> {
  const sql = `SELECT count(*)::integer AS n FROM pg_stat_activity WHERE application_name = 'daybook' AND datname = $1
    AND wait_event_type = 'Lock'`
  const [row] = await server.rows<{ n: number }>(sql, database.name)
  return Number(row?.n)
}

/** Outages of a database. Each returns the function that ends it. */
const OUTAGES: Readonly<Record<string, () => Promise<() => unknown>>> = {
  'was stopped': async () => {
    await server.stop()
    return () => server.start()
  },
  'was killed': async () => {
    await server.kill()
    return () => server.start()
  },
  'stands still': async () => {
    await server.pause()
    return () => server.resume()
  },
  'refuses connections': async () => {
    network.refuse()
    network.cut()
    return () => network.heal()
  },
  'is behind a network that drops all packets': async () => {
    network.blackHole()
    return () => network.heal()
  },
}

describe.each(Object.entries(OUTAGES))('a database that %s', (_outage, strike) => {
  test('is reported at once, and used again when it is back; every response is true', async () => {
    await using service = await open({ statementMs: STATEMENT_MS })
    await send(service, '/api/posts', { json: { title: 'before' } })
    const load = new Load(service, 'load')
    await eventually(() => expect(load.writes.length).toBeGreaterThan(20))

    const comeBack = await strike()
    await inTime(expectOutage(service))
    await inTime(expectOutage(service))
    await comeBack()
    await eventually(async () => expect((await send(service, '/api/ready')).status).toBe(200))

    expect((await send(service, '/api/posts/before')).status).toBe(200)
    expect((await send(service, '/api/posts', { json: { title: 'after' } })).status).toBe(201)
    expect(await connections()).toBeLessThanOrEqual(MOST_CONNECTIONS)
    await load.stop()
    load.expectHonest(await titles())
    await expectWholeJournal()
    await service.close()
    await eventually(async () => expect(await connections()).toBe(0))
  })
})

/** Checks that requests that need the database are 503 with Retry-After, and that the process is healthy. */
async function expectOutage(service: Awaited<ReturnType<typeof open>>): Promise<void> {
  const responses = await Promise.all([
    send(service, '/api/posts'),
    send(service, '/api/posts/before'),
    send(service, '/api/posts?q=before'),
    send(service, '/api/posts', { json: { title: 'refused' } }),
    send(service, '/api/ready'),
  ])
  for (const { status, headers, text } of responses) {
    expect(status, text).toBe(503)
    expect(headers.get('retry-after')).toBe('1')
  }
  expect(JSON.parse(responses[4].text).details).toEqual({ checks: { database: 'failed' } })
  expect((await send(service, '/api/health')).status).toBe(200)
}

test('a service closes cleanly while its database does not respond', async () => {
  for (const strike of Object.values(OUTAGES)) {
    const service = await open()
    expect((await send(service, '/api/posts', { json: { title: 'before' } })).status).toBe(201)
    const comeBack = await strike()
    await inTime(service.close())
    await comeBack()
  }
})

describe('when every backend is terminated', () => {
  const killAll = () =>
    server.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'daybook%'")

  test('reads in flight succeed, and every response to a write is true', async () => {
    await using service = await open()
    const load = new Load(service, 'load', { writers: 4, readers: 12 })
    for (let round = 1; round <= 10; round++) {
      await eventually(() => expect(load.writes.length).toBeGreaterThan(round * 20))
      await killAll()
      // A read is retried once; on a busy machine, the next round could hit the retry.
      await load.readsUnderWay()
    }
    await load.stop()
    expect(new Set(load.reads)).toEqual(new Set([200]))
    load.expectHonest(await titles())
    await expectWholeJournal()
  })

  test('a read that waits for a lock is retried once', async () => {
    await using service = await open()
    await send(service, '/api/posts', { json: { title: 'one' } })
    await using locked = await Lock.of(database.url, 'LOCK TABLE posts')
    const reading = send(service, '/api/posts/one')
    await eventually(async () => expect(await countWaiting()).toBe(1))
    await killAll()
    await eventually(async () => expect(await countWaiting()).toBe(1))
    await locked.release()
    expect((await reading).status).toBe(200)
  })
})

/** Identifies the session that watches the server by its query. */
const WATCHING = "application_name LIKE 'daybook %' AND query = 'SELECT seq FROM daybook$head'"
/** Makes each new session of a service wait as long as another session holds this lock. */
const WAIT_AT_LOGIN = `CREATE FUNCTION wait_at_login() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
  IF current_setting('application_name') = 'daybook' THEN PERFORM pg_advisory_xact_lock_shared(1); END IF; END $$;
CREATE EVENT TRIGGER wait_at_login ON login EXECUTE FUNCTION wait_at_login()`

test('a service whose watching session is terminated twice still considers the server up', async () => {
  await using service = await open()
  await send(service, '/api/posts', { json: { title: 'one' } })
  const superuser = superuserUrlOf(server.address, database.name)
  // Taken before the trigger exists: otherwise, a session that begins in between would get the lock.
  await using _lock = await Lock.of(superuser, 'SELECT pg_advisory_lock(1)')
  await queryOnce(superuser, WAIT_AT_LOGIN, [])
  const terminate = (where: string) =>
    server.rows(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND ${where}`, database.name)
  await eventually(async () => expect(await terminate(WATCHING)).toHaveLength(1))
  await eventually(async () => expect(await terminate("wait_event = 'advisory'")).toHaveLength(1))
  const statuses = new Set<number>()
  for (const endsAt = Date.now() + 1000; Date.now() < endsAt; await sleep(10)) {
    statuses.add((await send(service, '/api/posts/one')).status)
  }
  expect(statuses).toEqual(new Set([200]))
})

test('a service recovers as soon as its server has restarted', async () => {
  await using service = await open()
  const load = new Load(service, 'load')
  await eventually(() => expect(load.writes.length).toBeGreaterThan(20))
  await server.restart()
  await eventually(async () => expect((await send(service, '/api/ready')).status).toBe(200))
  const { length } = load.writes
  await eventually(() => expect(load.writes.length).toBeGreaterThan(length + 20))
  await load.stop()
  load.expectHonest(await titles())
  await expectWholeJournal()
})

describe('more requests than connections', () => {
  test('are 503 if they would wait too long, and never 500', async () => {
    await using service = await open({ connections: 2 })
    await send(service, '/api/posts', { json: { title: 'one' } })
    await using locked = await Lock.of(database.url, 'LOCK TABLE posts')
    const reads = Array.from({ length: 100 }, () => send(service, '/api/posts/one'))
    const writes = Array.from({ length: 100 }, (_, index) =>
      send(service, '/api/posts', { json: { title: `waits ${index}` } }),
    )
    const [read, wrote] = await Promise.all([Promise.all(reads), Promise.all(writes)])
    expect(new Set(statusesOf([...read, ...wrote]))).toEqual(new Set([503]))
    await locked.release()
    expect(await titles()).toEqual(['one'])
    expect((await send(service, '/api/posts/one')).status).toBe(200)
    expect((await send(service, '/api/posts', { json: { title: 'two' } })).status).toBe(201)
  })

  test('are all answered if there is time for them', async () => {
    await using service = await open({ connections: 2 })
    const writes = Array.from({ length: 200 }, (_, index) =>
      send(service, '/api/posts', { json: { title: `title ${index}` } }),
    )
    const reads = Array.from({ length: 200 }, () => send(service, '/api/posts?limit=1'))
    expect(new Set(statusesOf(await Promise.all(writes)))).toEqual(new Set([201]))
    expect(new Set(statusesOf(await Promise.all(reads)))).toEqual(new Set([200]))
  })
})

const collections = { notes: defineCollection({ fields: { text: f.text({ index: false, search: false }) } }) }

test('an export breaks off when the server dies, is 503 while it is down, and is complete once it is back', async () => {
  await using server = await PostgresServer.make()
  await using database = await PostgresDatabase.make(server.address)
  const config = defineConfig({ database: slowMachinePostgres(database.url), collections })
  await using service = await createTestService(config, { export: true })
  const text = 'long '.repeat(10_000)
  await Promise.all(Array.from({ length: 200 }, () => create(service as never, 'notes', { text })))
  const reader = (await askExport(service)).body?.getReader()
  await reader?.read()
  await server.kill()
  const rest = async (): Promise<void> => {
    while ((await reader?.read())?.done === false);
  }
  await expect(rest()).rejects.toThrow()
  expect((await askExport(service)).status).toBe(503)
  await server.start()
  await expect.poll(async () => (await askExport(service)).status).toBe(200)
  expect((await exportOf(service)).length).toBe(202)
})
