import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Balancer } from '../support/network/balancer.ts'
import { FaultyProxy } from '../support/network/faulty-proxy.ts'
import { PostgresDatabase, sharedPostgres } from '../support/postgres/postgres-database.ts'
import type { TestResponse } from '../support/scenarios/transports.ts'
import { eventually } from '../support/timeouts.ts'
import { type Door, Load, send } from './load.ts'
import { ServiceNode } from './node.ts'

let database: PostgresDatabase
/** The proxy between the third node and the database. */
let network: FaultyProxy
let a: ServiceNode
let b: ServiceNode
let c: ServiceNode
let balancer: Balancer
/** The load balancer in front of all nodes. */
let all: Door

const urlFor = (name: string): string => `${database.url}?application_name=${name}`

beforeAll(async () => {
  database = await PostgresDatabase.make()
  const { port } = await sharedPostgres()
  network = await FaultyProxy.to(port)
  const partitioned = urlFor('c').replace(`:${port}/`, `:${network.port}/`)
  ;[a, b, c] = await Promise.all([
    ServiceNode.start(urlFor('a')),
    ServiceNode.start(urlFor('b')),
    ServiceNode.start(partitioned),
  ])
  balancer = await Balancer.over(a.url, b.url, c.url)
  const fetchAny = (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url)
    return fetch(new Request(new URL(pathname + search, balancer.url), request))
  }
  all = { fetch: fetchAny, token: a.token }
})

afterAll(async () => {
  balancer[Symbol.dispose]()
  for (const node of [a, b, c]) await node.kill()
  await network[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const create = (door: Door, json: object, headers = {}) => send(door, '/api/posts', { json, headers })
const read = (door: Door, slug: string, headers = {}) => send(door, `/api/posts/${slug}`, { headers })
/** Reads a post with the token that wrote it. */
const readBack = (door: Door, slug: string) => read(door, slug, { Authorization: `Bearer ${a.token}` })
const parseBody = ({ text }: TestResponse) => JSON.parse(text)

function countStatuses(responses: readonly TestResponse[]): Readonly<Record<string, number>> {
  const groups = Map.groupBy(responses, ({ status }) => status)
  return Object.fromEntries([...groups].map(([status, same]) => [status, same.length]))
}

async function titles(): Promise<readonly string[]> {
  const rows = await database.rows<{ title: string }>("SELECT doc::json ->> 'title' AS title FROM posts")
  return rows.map(({ title }) => title)
}

async function numbers(): Promise<readonly number[]> {
  return (await database.rows<{ seq: number }>('SELECT seq FROM daybook$journal ORDER BY seq')).map(({ seq }) => seq)
}

const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, index) => index + 1)

describe('three nodes on one database', () => {
  test('show at once what one of them has stored, with the same ETags', async () => {
    for (let round = 0; round < 10; round++) {
      const [writer, ...readers] = [a, b, c].map((_, index) => [a, b, c][(index + round) % 3] as ServiceNode)
      const stored = await create(writer as Door, { title: `seen ${round}`, slug: `seen-${round}` })
      expect(stored.status).toBe(201)
      for (const node of readers) {
        const response = await readBack(node, `seen-${round}`)
        expect([response.status, parseBody(response)]).toEqual([200, parseBody(stored)])
        expect(response.headers.get('etag')).toBe(stored.headers.get('etag'))
      }
      const lists = await Promise.all([a, b, c].map((node) => send(node, '/api/posts?sort=title')))
      expect(new Set(lists.map(({ text }) => text)).size).toBe(1)
      expect(new Set(lists.map(({ headers }) => headers.get('etag'))).size).toBe(1)
      const tag = String(lists[0]?.headers.get('etag'))
      const again = await send(c, '/api/posts?sort=title', { headers: { 'If-None-Match': tag } })
      expect(again.status).toBe(304)
    }
  })

  test('give a slug to one of many concurrent creates', async () => {
    const creates = Array.from({ length: 200 }, (_, index) => create(all, { title: `${index}`, slug: 'wanted' }))
    expect(countStatuses(await Promise.all(creates))).toEqual({ 201: 1, 409: 199 })
  })

  test('execute a request once if two nodes get it concurrently with one Idempotency-Key', async () => {
    for (let round = 0; round < 20; round++) {
      const headers = { 'Idempotency-Key': `key-${round}` }
      const responses = await Promise.all([a, b].map((node) => create(node, { title: `once ${round}` }, headers)))
      expect(countStatuses(responses)).toEqual({ 201: 2 })
      expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
      const replays = responses.filter((response) => response.headers.get('idempotency-replayed') === 'true')
      expect(replays).toHaveLength(1)
    }
    expect((await titles()).filter((title) => title.startsWith('once'))).toHaveLength(20)
  })

  test('accept one of two concurrent changes with the same If-Match', async () => {
    const { id } = parseBody(await create(a, { title: 'raced', slug: 'raced', count: 0 }))
    for (let round = 1; round <= 30; round++) {
      const tag = String((await read(c, 'raced')).headers.get('etag'))
      const headers = { 'If-Match': tag }
      const changes = [a, b].map((node, index) =>
        send(node, `/api/posts/${id}`, { method: 'PUT', json: { count: round * 2 + index }, headers }),
      )
      const responses = await Promise.all(changes)
      expect(countStatuses(responses)).toEqual({ 200: 1, 412: 1 })
      const winner = responses.find(({ status }) => status === 200) as TestResponse
      expect(parseBody(await readBack(c, 'raced'))).toEqual(parseBody(winner))
    }
  })

  test('lose no increment of a counter that all of them count up', async () => {
    const { id } = parseBody(await create(a, { title: 'counted', slug: 'counted', count: 0 }))
    const steps = 20
    const countUp = async (node: Door): Promise<void> => {
      for (let done = 0; done < steps; ) {
        const response = await read(node, 'counted')
        const headers = { 'If-Match': String(response.headers.get('etag')) }
        const json = { count: parseBody(response).count + 1 }
        const { status } = await send(node, `/api/posts/${id}`, { method: 'PUT', json, headers })
        expect([200, 412]).toContain(status)
        if (status === 200) done += 1
      }
    }
    await Promise.all([a, b, c, a, b, c].map(countUp))
    expect(parseBody(await read(b, 'counted')).count).toBe(6 * steps)
  })

  test('number changes in the order of their commits, without a gap', async () => {
    const first = (await numbers()).length
    const loads = [a, b, c].map((node, index) => new Load(node, `ordered ${index}`, { writers: 3, readers: 0 }))
    let last = first
    while (last < first + 150) {
      const seen = await numbers()
      expect(seen).toEqual(upTo(seen.length))
      expect(seen.length).toBeGreaterThanOrEqual(last)
      last = seen.length
    }
    for (const load of loads) {
      await load.stop()
      expect(load.statuses).toEqual(new Set([201]))
    }
    const [head] = await database.rows('SELECT seq, (SELECT count(*) FROM daybook$journal) AS n FROM daybook$head')
    expect(head).toEqual({ seq: (await numbers()).length, n: (await numbers()).length })
  })

  test('take turns: two busy nodes do not starve a third', async () => {
    const busy = [a, b].map((node, index) => new Load(node, `busy ${index}`, { writers: 8, readers: 0 }))
    const modest = new Load(c, 'modest', { writers: 1, readers: 0 })
    await eventually(() => expect(Math.min(...busy.map(({ writes }) => writes.length))).toBeGreaterThan(100))
    const share = modest.writes.length
    for (const load of [...busy, modest]) await load.stop()
    // The third node gets one turn of three, with one write where the others have up to eight.
    expect(share).toBeGreaterThan(5)
  })
})

describe('a lost node', () => {
  test('that is killed under load loses no acknowledged write, and the others continue', async () => {
    await using doomed = await ServiceNode.start(urlFor('doomed'))
    const loads = [b, c].map((node, index) => new Load(node, `others ${index}`, { writers: 2, readers: 1 }))
    const last = new Load(doomed, 'doomed', { writers: 8, readers: 1 })
    await eventually(() => expect(last.writes.length).toBeGreaterThan(50))
    await doomed.kill()
    await last.stop()
    const before = loads.map(({ writes }) => writes.length)
    await eventually(() => {
      for (const [index, { writes }] of loads.entries())
        expect(writes.length).toBeGreaterThan(Number(before[index]) + 20)
    })
    const stored = async (): Promise<readonly string[]> => {
      for (const load of loads) await load.stop()
      return titles()
    }
    const all = await stored()
    for (const load of loads) {
      expect(load.statuses).toEqual(new Set([201]))
      expect(new Set(load.reads)).toEqual(new Set([200]))
      load.expectHonest(all)
    }
    expect(last.statuses).toEqual(new Set([201, 0]))
    last.expectHonest(all)
    expect(await numbers()).toEqual(upTo(all.length + (await changes())))
  })

  test('that cannot reach the database is not ready; the others continue', async () => {
    network.blackHole()
    try {
      const responses = await Promise.all([
        send(c, '/api/posts'),
        create(c, { title: 'refused' }),
        send(c, '/api/ready'),
      ])
      expect(countStatuses(responses)).toEqual({ 503: 3 })
      expect((await send(c, '/api/health')).status).toBe(200)
      for (const node of [a, b]) {
        expect((await send(node, '/api/ready')).status).toBe(200)
        expect((await create(node, { title: 'goes on' })).status).toBe(201)
      }
      await eventually(async () => {
        const through = await Promise.all(upTo(12).map(() => create(all, { title: 'balanced' })))
        expect(countStatuses(through)).toEqual({ 201: 12 })
      })
    } finally {
      await network.heal()
    }
    await eventually(async () => expect((await send(c, '/api/ready')).status).toBe(200))
    expect((await create(c, { title: 'is back' })).status).toBe(201)
    expect(await titles()).not.toContain('refused')
  })

  /** Returns true if a node of that name holds the turn to write and is idle. */
  async function holdsTurn(name: string): Promise<boolean> {
    const sql = `SELECT 1 FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()
      AND state = 'idle in transaction' AND backend_xid IS NOT NULL`
    return (await database.rows(sql, name)).length > 0
  }

  test('that is paused during its turn to write loses the turn, and does no harm when it resumes', async () => {
    await using sleeper = await ServiceNode.start(urlFor('sleeper'))
    const sleeping = new Load(sleeper, 'sleeper', { writers: 8, readers: 1 })
    await eventually(() => expect(sleeping.writes.length).toBeGreaterThan(20))
    for (sleeper.pause(); !(await holdsTurn('sleeper')); sleeper.pause()) {
      sleeper.resume()
      await sleep(Math.random() * 20)
    }
    expect((await send(b, '/api/posts?limit=1')).status).toBe(200)
    const awake = new Load(b, 'awake', { writers: 2, readers: 1 })
    // PostgreSQL ends its session after five seconds (idle_in_transaction_session_timeout).
    await eventually(() => expect(awake.statuses).toContain(201))
    await awake.stop()
    expect(new Set(awake.reads)).toEqual(new Set([200]))
    sleeper.resume()
    await eventually(async () => expect((await send(sleeper, '/api/ready')).status).toBe(200))
    expect((await create(sleeper, { title: 'awake again' })).status).toBe(201)
    await sleeping.stop()
    const all = await titles()
    awake.expectHonest(all)
    sleeping.expectHonest(all)
  })
})

/** Counts the journal records that are no creations. */
async function changes(): Promise<number> {
  const [row] = await database.rows<{ n: number }>("SELECT count(*) AS n FROM daybook$journal WHERE action <> 'create'")
  return Number(row?.n)
}
