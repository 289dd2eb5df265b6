import { createTestService, type TestService } from 'daybook/testing'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readMetrics } from '../metrics/read-metrics.ts'
import { FaultyProxy } from '../support/network/faulty-proxy.ts'
import { PostgresDatabase } from '../support/postgres/postgres-database.ts'
import { slowMachinePostgres } from '../support/postgres/slow-machine-postgres.ts'
import { expectQuietProcess } from '../support/scenarios/sane.ts'
import type { TestResponse } from '../support/scenarios/transports.ts'
import { eventually } from '../support/timeouts.ts'
import { send } from './load.ts'
import { posts } from './posts.ts'
import { ReplicatedServer } from './replica.ts'

let servers: ReplicatedServer
let database: PostgresDatabase
/** The proxy between the service and the replica. */
let network: FaultyProxy
let service: TestService<typeof posts>

beforeAll(async () => {
  servers = await ReplicatedServer.make()
  return () => servers[Symbol.asyncDispose]()
})

beforeEach(async () => {
  const { primary, replica } = servers
  network = await FaultyProxy.to(replica.address.port)
  database = await PostgresDatabase.make(primary.address)
  const copy = database.url.replace(`:${primary.address.port}/`, `:${network.port}/`)
  service = await createTestService(
    { ...posts, database: slowMachinePostgres(database.url, { replicas: [copy] }) },
    { metrics: true },
  )
  return async () => {
    await resumeReplay()
    await service.close()
    await network[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  }
})

afterEach(expectQuietProcess)

/** Stops the replica from following the primary. */
async function pauseReplay(): Promise<void> {
  await servers.replica.rows('SELECT pg_wal_replay_pause()')
  await eventually(async () => {
    const [row] = await servers.replica.rows('SELECT pg_get_wal_replay_pause_state() AS state')
    expect(row).toEqual({ state: 'paused' })
  })
}

/** Lets the replica follow the primary again. */
const resumeReplay = () => servers.replica.rows('SELECT pg_wal_replay_resume()')

const create = (title: string) => send(service, '/api/posts', { json: { title } })
const read = (path: string, headers = {}) => send(service, path, { headers })
const session = (): object => ({ Authorization: `Bearer ${service.token}` })
const getSeq = ({ headers }: TestResponse): string => String(headers.get('daybook-seq'))
const readTotal = async (headers = {}): Promise<number> => JSON.parse((await read('/api/posts', headers)).text).total

/** Waits until the replica is used and has caught up. Each attempt reads a new query, since cached responses do not reach the replica. */
async function caughtUp(total: number): Promise<void> {
  let limit = 1
  await eventually(async () => {
    limit += 1
    const sql = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'daybook' AND datname = $1 AND query LIKE '%posts%'`
    expect(await readTotal()).toBe(total)
    await read(`/api/posts?limit=${limit}`)
    expect((await servers.replica.rows(sql, database.name)).length).toBeGreaterThan(0)
  })
}

describe('with a replica', () => {
  test('callers without a session read from it, and from the primary if they require a later number', async () => {
    const first = await create('first')
    await caughtUp(1)
    await pauseReplay()
    const second = await create('second')
    expect(second.status).toBe(201)
    // If the replica takes too long, the primary responds, so the request is repeated.
    await eventually(async () => expect(await readTotal()).toBe(1))
    await eventually(async () => expect((await read('/api/posts/second')).status).toBe(404))
    await eventually(async () => expect(await readTotal({ 'Daybook-Min-Seq': getSeq(first) })).toBe(1))
    expect(await readTotal({ 'Daybook-Min-Seq': getSeq(second) })).toBe(2)
    expect((await read('/api/posts/second', { 'Daybook-Min-Seq': getSeq(second) })).status).toBe(200)
    expect((await read('/api/posts?q=second', { 'Daybook-Min-Seq': getSeq(second) })).status).toBe(200)
    await resumeReplay()
    await eventually(async () => expect(await readTotal()).toBe(2))
    expect(JSON.parse(second.text)).toMatchObject(JSON.parse((await read('/api/posts/second')).text))
  })

  test('a session always sees its own writes, and changes the current revision', async () => {
    await create('first')
    await caughtUp(1)
    await pauseReplay()
    const { id } = JSON.parse((await create('second')).text)
    expect(await readTotal(session())).toBe(2)
    const stored = await read('/api/posts/second', session())
    expect(stored.status).toBe(200)
    const headers = { 'If-Match': String(stored.headers.get('etag')) }
    const changed = await send(service, `/api/posts/${id}`, { method: 'PUT', json: { title: 'three' }, headers })
    expect(changed.status).toBe(200)
    expect(JSON.parse((await read('/api/posts/second', session())).text).title).toBe('three')
  })

  test('an ETag of the primary does not match on a replica that lags behind', async () => {
    await create('first')
    await caughtUp(1)
    const same = [await read('/api/posts'), await read('/api/posts', { 'Daybook-Min-Seq': '999' })]
    expect(new Set(same.map(({ headers }) => headers.get('etag'))).size).toBe(1)
    await pauseReplay()
    const second = await create('second')
    const late = { 'Daybook-Min-Seq': getSeq(second) }
    const tag = String((await read('/api/posts', late)).headers.get('etag'))
    expect((await read('/api/posts', { ...late, 'If-None-Match': tag })).status).toBe(304)
    await eventually(async () => expect((await read('/api/posts', { 'If-None-Match': tag })).status).toBe(200))
  })

  test('the metrics show its position as long as it responds', async () => {
    const positions = async () => {
      const metrics = readMetrics(await service.metrics())
      const readers = [...metrics].filter(([name]) => name.startsWith('daybook_journal_reader_seq'))
      return [metrics.get('daybook_journal_seq'), ...readers.map(([, seq]) => seq)]
    }
    await create('first')
    await eventually(async () => expect(await positions()).toEqual([1, 1]))
    await pauseReplay()
    await create('second')
    await eventually(async () => expect(await positions()).toEqual([2, 1]))
    expect(await service.metrics()).not.toContain(new URL(database.url).password)
    await resumeReplay()
    await eventually(async () => expect(await positions()).toEqual([2, 2]))
    network.blackHole()
    await eventually(async () => expect(await positions()).toEqual([2]))
    await network.heal()
  })

  test('with an invalid URL, the start fails', async () => {
    const opening = slowMachinePostgres(database.url, {
      replicas: [database.url, 'mysql://user:secret@copy/content'],
    }).open()
    await expect(opening).rejects.toThrow(/^replicas\[1\] is not a URL of PostgreSQL\. Write postgres:[^ ]+$/)
  })

  test('a Daybook-Min-Seq that is no number of the journal is rejected', async () => {
    for (const seq of ['', 'x', '-1', '1.5', '1e3', '12345678901234567890']) {
      const response = await read('/api/posts', { 'Daybook-Min-Seq': seq })
      expect(response.status, seq).toBe(400)
      expect(JSON.parse(response.text).details.issues).toMatchObject([{ path: 'Daybook-Min-Seq', code: 'pattern' }])
    }
  })

  /** Outages of a replica. */
  const GONE = {
    'is not there': () => {
      network.refuse()
      network.cut()
    },
    'is behind a network that drops all packets': () => network.blackHole(),
    stops: () => servers.replica.stop(),
  } as const

  test.each(Object.entries(GONE))('that %s, the primary serves everything', async (how, strike) => {
    await create('first')
    await caughtUp(1)
    await strike()
    const reads = Array.from({ length: 20 }, () => read('/api/posts'))
    expect(new Set((await Promise.all(reads)).map(({ status }) => status))).toEqual(new Set([200]))
    await create('second')
    await eventually(async () => expect(await readTotal()).toBe(2))
    expect((await read('/api/ready')).status).toBe(200)
    await network.heal()
    if (how === 'stops') await servers.replica.start()
    await caughtUp(2)
  })
})
