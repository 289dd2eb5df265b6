import { setTimeout as sleep } from 'node:timers/promises'
import { createTestService } from 'daybook/testing'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { FaultyProxy } from '../support/network/faulty-proxy.ts'
import { eventually, PATIENCE_MS } from '../support/patience.ts'
import { patientPostgres } from '../support/postgres/patient-postgres.ts'
import { superuserUrlOf } from '../support/postgres/postgres-address.ts'
import { PostgresDatabase } from '../support/postgres/postgres-database.ts'
import { queryOnce } from '../support/postgres/postgres-query.ts'
import { PostgresServer } from '../support/postgres/postgres-server.ts'
import { expectQuietProcess } from '../support/scenarios/sane.ts'
import type { Answer } from '../support/scenarios/transports.ts'
import { Load, send } from './load.ts'
import { Lock } from './lock.ts'
import { posts } from './posts.ts'

/** Ten that read, two that write, one that watches. */
const MOST_CONNECTIONS = 13
/** The time-out of a statement, which is what a hanging request would wait for: far longer than anybody waits here, in milliseconds. */
const STATEMENT_MS = 10 * PATIENCE_MS

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

/** The database, seen through the network that fails. */
const url = (): string => database.url.replace(`:${server.address.port}/`, `:${network.port}/`)

const open = (options = {}) => createTestService({ ...posts, database: patientPostgres(url(), options) })

async function titles(): Promise<readonly string[]> {
  const rows = await database.rows<{ title: string }>("SELECT doc::json ->> 'title' AS title FROM posts")
  return rows.map(({ title }) => title)
}

/** The connections of the service to its database. */
async function connections(): Promise<number> {
  const sql = `SELECT count(*)::integer AS n FROM pg_stat_activity WHERE application_name LIKE 'daybook%' AND datname = $1`
  const [row] = await server.rows<{ n: number }>(sql, database.name)
  return Number(row?.n)
}

/** Numbers without a gap, one for each entry, and the head at the last of them. */
async function expectWholeJournal(): Promise<void> {
  const [row] = await database.rows<object>(
    `SELECT (SELECT seq FROM daybook$head) AS head, count(*) AS n, max(seq) AS last,
      (SELECT count(*) FROM posts) AS posts FROM daybook$journal`,
  )
  const { n } = row as { readonly n: number }
  expect(row).toEqual({ head: n, n, last: n, posts: n })
}

/** Fails when somebody is left waiting. */
async function answered<T>(asked: Promise<T>): Promise<T> {
  const late = sleep(PATIENCE_MS, undefined, { ref: false }).then(() => Promise.reject(new Error('No answer came.')))
  return Promise.race([asked, late])
}

const statusesOf = (answers: readonly Answer[]): readonly number[] => answers.map(({ status }) => status)

/** How many back ends of the service wait for a lock. */
async function waiting(): Promise<number> {
  const sql = `SELECT count(*)::integer AS n FROM pg_stat_activity WHERE application_name = 'daybook' AND datname = $1
    AND wait_event_type = 'Lock'`
  const [row] = await server.rows<{ n: number }>(sql, database.name)
  return Number(row?.n)
}

/** Ways in which a database is gone; each answers how it comes back. */
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
  'is behind a network that swallows everything': async () => {
    network.blackHole()
    return () => network.heal()
  },
}

describe.each(Object.entries(OUTAGES))('a database that %s', (_what, strike) => {
  test('is reported at once, and used again when it is back; nobody is told anything wrong (D8)', async () => {
    await using service = await open({ statementMs: STATEMENT_MS })
    await send(service, '/api/posts', { json: { title: 'before' } })
    const load = new Load(service, 'load')
    await eventually(() => expect(load.writes.length).toBeGreaterThan(20))

    const comeBack = await strike()
    await answered(expectOutage(service))
    await answered(expectOutage(service))
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

/** Whatever needs the database is refused, and says when to come again; the process itself is well. */
async function expectOutage(service: Awaited<ReturnType<typeof open>>): Promise<void> {
  const needy = await Promise.all([
    send(service, '/api/posts'),
    send(service, '/api/posts/before'),
    send(service, '/api/posts?q=before'),
    send(service, '/api/posts', { json: { title: 'refused' } }),
    send(service, '/api/ready'),
  ])
  for (const { status, headers, text } of needy) {
    expect(status, text).toBe(503)
    expect(headers.get('retry-after')).toBe('1')
  }
  expect(JSON.parse(needy[4].text).details).toEqual({ checks: { database: 'failed' } })
  expect((await send(service, '/api/health')).status).toBe(200)
}

test('a service ends in good order while its database does not answer', async () => {
  for (const strike of Object.values(OUTAGES)) {
    const service = await open()
    expect((await send(service, '/api/posts', { json: { title: 'before' } })).status).toBe(201)
    const comeBack = await strike()
    await answered(service.close())
    await comeBack()
  }
})

describe('when every back end is killed (D8)', () => {
  const killAll = () =>
    server.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'daybook%'")

  test('reads in flight are answered all the same, and nobody is told anything wrong of a write', async () => {
    await using service = await open()
    const load = new Load(service, 'load', { writers: 4, readers: 12 })
    for (let round = 1; round <= 10; round++) {
      await eventually(() => expect(load.writes.length).toBeGreaterThan(round * 20))
      await killAll()
      // A read is asked again once: on a busy machine it could meet the next round, too.
      await load.readsUnderWay()
    }
    await load.stop()
    expect(new Set(load.reads)).toEqual(new Set([200]))
    load.expectHonest(await titles())
    await expectWholeJournal()
  })

  test('a read that waits for a lock is asked again, once', async () => {
    await using service = await open()
    await send(service, '/api/posts', { json: { title: 'one' } })
    await using locked = await Lock.of(database.url, 'LOCK TABLE posts')
    const reading = send(service, '/api/posts/one')
    await eventually(async () => expect(await waiting()).toBe(1))
    await killAll()
    await eventually(async () => expect(await waiting()).toBe(1))
    await locked.release()
    expect((await reading).status).toBe(200)
  })
})

/** The session that watches the server is known by what it asks. */
const WATCHING = "application_name LIKE 'daybook %' AND query = 'SELECT seq FROM daybook$head'"
/** A session of a service waits where it begins, as long as another one has this lock. */
const WAIT_AT_LOGIN = `CREATE FUNCTION wait_at_login() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
  IF current_setting('application_name') = 'daybook' THEN PERFORM pg_advisory_xact_lock_shared(1); END IF; END $$;
CREATE EVENT TRIGGER wait_at_login ON login EXECUTE FUNCTION wait_at_login()`

test('a service whose watching session is ended twice knows that the server is there', async () => {
  await using service = await open()
  await send(service, '/api/posts', { json: { title: 'one' } })
  const superuser = superuserUrlOf(server.address, database.name)
  // Held before anybody can wait for it: a session that began meanwhile would have it.
  await using _held = await Lock.of(superuser, 'SELECT pg_advisory_lock(1)')
  await queryOnce(superuser, WAIT_AT_LOGIN, [])
  const end = (which: string) =>
    server.rows(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND ${which}`, database.name)
  await eventually(async () => expect(await end(WATCHING)).toHaveLength(1))
  await eventually(async () => expect(await end("wait_event = 'advisory'")).toHaveLength(1))
  const statuses = new Set<number>()
  for (const endsAt = Date.now() + 1000; Date.now() < endsAt; await sleep(10)) {
    statuses.add((await send(service, '/api/posts/one')).status)
  }
  expect(statuses).toEqual(new Set([200]))
})

test('a restart of the server is over for the service when it is for the server', async () => {
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
  test('are refused when they would wait for too long, and none is a 500', async () => {
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

  test('are answered all when there is time for them', async () => {
    await using service = await open({ connections: 2 })
    const writes = Array.from({ length: 200 }, (_, index) =>
      send(service, '/api/posts', { json: { title: `title ${index}` } }),
    )
    const reads = Array.from({ length: 200 }, () => send(service, '/api/posts?limit=1'))
    expect(new Set(statusesOf(await Promise.all(writes)))).toEqual(new Set([201]))
    expect(new Set(statusesOf(await Promise.all(reads)))).toEqual(new Set([200]))
  })
})
