import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PostgresOptions } from 'daybook/postgres'
import { createTestService, type TestService } from 'daybook/testing'
import { expect, test } from 'vitest'
import blog from '../../../../examples/blog/daybook.config.ts'
import { READ_SETTINGS } from '../../src/store/postgres/postgres-server.ts'
import { PostgresDatabase, sharedPostgres } from '../support/postgres/postgres-database.ts'
import { slowMachinePostgres } from '../support/postgres/slow-machine-postgres.ts'
import { send } from './load.ts'
import { Lock } from './lock.ts'
import { posts } from './posts.ts'
import { Wiretap } from './wiretap.ts'

/** Sends reads and writes of every kind concurrently. */
async function useEverything(service: TestService): Promise<void> {
  const { token } = service
  const headers = { Authorization: `Bearer ${token}` }
  const round = async (index: number): Promise<void> => {
    const json = { title: `Round ${index}`, body: 'about *pooling*' }
    const created = await send(service, '/api/posts', { json, headers: { 'Idempotency-Key': `key-${index}` } })
    expect(created.status, created.text).toBe(201)
    const { id } = JSON.parse(created.text)
    const paths = [`${id}?depth=1`, '?q=pooling', '?sort=-title&limit=2', '?where[title][startsWith]=Round', '?limit=0']
    for (const path of [...paths.map((path) => `/api/posts${path.startsWith('?') ? '' : '/'}${path}`), '/api/ready'])
      expect((await send(service, path)).status, path).toBe(200)
    const changed = await send(service, `/api/posts/${id}`, { method: 'PUT', json: { title: `Turn ${index}` } })
    expect(changed.status).toBe(200)
    const operations = [{ op: 'delete', collection: 'posts', id }]
    expect((await send(service, '/api/cms/batch', { json: { operations }, headers })).status).toBe(200)
  }
  await Promise.all(Array.from({ length: 10 }, (_, index) => round(index)))
}

/** Uses a service on a new database. Returns the wiretap with the messages that it sent to PostgreSQL. */
async function overhear(options: PostgresOptions): Promise<Wiretap> {
  await using database = await PostgresDatabase.make()
  const { port } = await sharedPostgres()
  using tap = await Wiretap.on(port)
  const url = database.url.replace(`:${port}/`, `:${tap.port}/`)
  await using service = await createTestService({ ...blog, database: slowMachinePostgres(url, options) })
  await useEverything(service as unknown as TestService)
  return tap
}

const settingNames = ({ said }: Wiretap): readonly string[] => {
  const all = said
    .filter(({ kind }) => kind === 'start')
    .flatMap(({ texts }) => texts.filter((_, index) => index % 2 === 0))
  return [...new Set(all)].filter((name) => name !== '').sort()
}

const statementNames = ({ said }: Wiretap): ReadonlySet<string> =>
  new Set(said.filter(({ kind }) => kind === 'parse').map(({ texts }) => String(texts[0])))

/** Matches statements whose effect lasts as long as the session, which a pooler shares with others. */
const SESSION_STATE =
  /(?:^|;)\s*(?:SET\s+(?!LOCAL\b)|RESET|LISTEN|PREPARE|DISCARD|DECLARE|LOAD|CREATE\s+TEMP)|pg_(?:try_)?advisory_lock|set_config/i

test('behind a transaction pooler nothing is left in a session', async () => {
  const tap = await overhear({ pooler: 'transaction' })
  expect(settingNames(tap)).toEqual(['application_name', 'client_encoding', 'database', 'user'])
  expect(statementNames(tap)).toEqual(new Set(['']))
  expect(tap.sql.length).toBeGreaterThan(200)
  expect(tap.sql.filter((sql) => SESSION_STATE.test(sql))).toEqual([])
  expect(tap.sql.filter((sql) => /^BEGIN/.test(sql) && !/SET LOCAL lock_timeout/.test(sql))).toEqual([])
})

test('behind a pooler a slow read times out, and does not affect the next one', async () => {
  await using database = await PostgresDatabase.make()
  const source = slowMachinePostgres(database.url, { pooler: 'transaction', connections: 2, statementMs: 1000 })
  await using service = await createTestService({ ...posts, database: source })
  await send(service, '/api/posts', { json: { title: 'one' } })
  await using locked = await Lock.of(database.url, 'LOCK TABLE posts')
  const reads = Array.from({ length: 10 }, () => send(service, '/api/posts/one'))
  expect(new Set((await Promise.all(reads)).map(({ status }) => status))).toEqual(new Set([503]))
  await locked.release()
  expect((await send(service, '/api/posts/one')).status).toBe(200)
})

test('without a pooler, sessions keep their limits and their prepared statements', async () => {
  const tap = await overhear({})
  expect(settingNames(tap)).toEqual(
    expect.arrayContaining(['idle_in_transaction_session_timeout', 'lock_timeout', 'statement_timeout']),
  )
  expect(statementNames(tap).size).toBeGreaterThan(10)
})

test('the guide shows the role settings that a pooler needs, since sessions cannot have them', async () => {
  const guide = await readFile(join(import.meta.dirname, '../../../../docs/guides/postgresql.md'), 'utf8')
  const settings = [...guide.matchAll(/^ALTER ROLE daybook SET (.*);$/gm)].map(([, setting]) => setting)
  expect(settings).toEqual(READ_SETTINGS)
})
