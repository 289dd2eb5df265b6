import { createTestService, type TestService } from 'daybook/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Store } from '../../src/store/store.ts'
import { FaultyProxy } from '../support/network/faulty-proxy.ts'
import { PostgresDatabase, sharedPostgres } from '../support/postgres/postgres-database.ts'
import { slowMachinePostgres } from '../support/postgres/slow-machine-postgres.ts'
import { expectQuietProcess } from '../support/scenarios/sane.ts'
import { eventually } from '../support/timeouts.ts'
import { send } from './load.ts'
import { posts } from './posts.ts'

let network: FaultyProxy
let database: PostgresDatabase
let service: TestService<typeof posts> & AsyncDisposable

beforeEach(async () => {
  const { port } = await sharedPostgres()
  database = await PostgresDatabase.make()
  network = await FaultyProxy.to(port)
  const url = database.url.replace(`:${port}/`, `:${network.port}/`)
  service = await createTestService({ ...posts, database: slowMachinePostgres(url) })
  return async () => {
    await service.close()
    await network[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  }
})

afterEach(expectQuietProcess)

const create = (title: string, headers = {}) => send(service, '/api/posts', { json: { title }, headers })

/** Reads the stored titles in the order of their changes. */
async function stored(): Promise<readonly string[]> {
  const sql = "SELECT doc::json ->> 'title' AS title FROM daybook$journal JOIN posts USING (id, seq) ORDER BY seq"
  return (await database.rows<{ title: string }>(sql)).map(({ title }) => title)
}

async function heal(): Promise<void> {
  await network.heal()
  await eventually(async () => expect((await send(service, '/api/ready')).status).toBe(200))
}

const FATES = { 'was stored': 'delivered', 'never arrived': 'lost' } as const

describe.each(Object.entries(FATES))('a commit that %s, and whose response is lost', (_fate, fate) => {
  test('gets a true response: one entry, stored once', async () => {
    const cut = network.cutAt(/COMMIT/, fate)
    const response = await create('one')
    await cut
    expect(response.status, response.text).toBe(201)
    expect(JSON.parse(response.text)).toMatchObject(JSON.parse((await send(service, '/api/posts/one')).text))
    expect(await stored()).toEqual(['one'])
    expect((await create('two')).headers.get('daybook-seq')).toBe('2')
  })

  test('is resolved for every write that shared it', async () => {
    await create('first')
    const writes = ['one', 'two', 'three', 'four'].map((title) => create(title))
    const cut = network.cutAt(/COMMIT/, fate)
    const results = await Promise.all(writes)
    await cut
    expect(results.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect(await stored()).toEqual(['first', 'one', 'two', 'three', 'four'])
  })

  test('is resolved for an update and a deletion, too', async () => {
    const { id } = JSON.parse((await create('one')).text)
    const { token } = service
    const headers = { Authorization: `Bearer ${token}` }
    let cut = network.cutAt(/COMMIT/, fate)
    const changed = await send(service, `/api/posts/${id}`, { method: 'PUT', json: { title: 'two' } })
    await cut
    expect([changed.status, changed.headers.get('daybook-seq')]).toEqual([200, '2'])
    cut = network.cutAt(/COMMIT/, fate)
    const removed = await send(service, `/api/posts/${id}`, { method: 'DELETE', headers })
    await cut
    expect([removed.status, removed.headers.get('daybook-seq')]).toEqual([204, '3'])
    expect(await stored()).toEqual([])
  })

  test('stores its response for a request that is sent again', async () => {
    const cut = network.cutAt(/COMMIT/, fate)
    const response = await create('one', { 'Idempotency-Key': 'k' })
    await cut
    const again = await create('one', { 'Idempotency-Key': 'k' })
    expect([response.status, again.status]).toEqual([201, 201])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(again.text).toBe(response.text)
    expect(await stored()).toEqual(['one'])
  })

  test('is 503 with an unknown outcome if the database is gone by then', async () => {
    await create('before')
    const cut = network.cutAt(/COMMIT/, fate).then(() => network.refuse())
    const response = await create('one', { 'Idempotency-Key': 'k' })
    await cut
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('1')
    expect(JSON.parse(response.text).details).toEqual({ outcome: 'unknown' })
    await heal()
    expect(await stored()).toEqual(fate === 'delivered' ? ['before', 'one'] : ['before'])
    // With its key, a client can safely send the request again.
    expect((await create('one', { 'Idempotency-Key': 'k' })).status).toBe(201)
    expect(await stored()).toEqual(['before', 'one'])
  })

  test('is 503 with an unknown outcome if the network goes silent; queued writes are 503 and not stored', async () => {
    await create('before')
    const cut = network.cutAt(/COMMIT/, fate).then(() => network.blackHole())
    const results = await Promise.all(['one', 'two', 'three'].map((title) => create(title)))
    await cut
    const responses = results.map(({ status, text }) => [status, JSON.parse(text).details])
    expect(responses).toEqual([
      [503, { outcome: 'unknown' }],
      [503, {}],
      [503, {}],
    ])
    await heal()
    expect(await stored()).toEqual(fate === 'delivered' ? ['before', 'one'] : ['before'])
  })
})

test('a transaction in which a failure was swallowed does not count as stored', async () => {
  const store = new Store(await slowMachinePostgres(database.url).open())
  const record = { key: 'k', request: 'r', status: 201, headers: '{}', body: '', at: '2026-01-01' }
  const save = (key: string) =>
    store.transaction(async (writer) => {
      await writer.system.saveIdempotencyRecord({ ...record, key }, '2000-01-01')
      await writer.system.saveIdempotencyRecord({ ...record, key: 'twice' }, '2000-01-01').catch(() => {})
    })
  await save('one')
  await expect(save('two')).rejects.toThrow('rolled back')
  expect(await store.read.system.idempotencyRecord('two')).toBeUndefined()
  await store.close()
})

test('a write that fails before its commit is 503 without an unknown outcome', async () => {
  await create('before')
  const cut = network.cutAt(/"title":"one"/, 'lost').then(() => network.refuse())
  const response = await create('one')
  await cut
  expect(response.status).toBe(503)
  expect(JSON.parse(response.text).details).toEqual({})
  await heal()
  expect(await stored()).toEqual(['before'])
})
