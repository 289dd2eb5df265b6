import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PostgresOptions } from 'daybook/postgres'
import { createTestService, type TestService } from 'daybook/testing'
import { expect, test } from 'vitest'
import blog from '../../../../examples/blog/daybook.config.ts'
import { READ_SETTINGS } from '../../src/store/postgres/postgres-server.ts'
import { patientPostgres } from '../support/postgres/patient-postgres.ts'
import { PostgresDatabase, sharedPostgres } from '../support/postgres/postgres-database.ts'
import { send } from './load.ts'
import { Lock } from './lock.ts'
import { posts } from './posts.ts'
import { Wiretap } from './wiretap.ts'

/** Reads and writes of every kind, many at once. */
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

/** Starts a service on a new database, uses it, and answers what it said there. */
async function overhear(options: PostgresOptions): Promise<Wiretap> {
  await using database = await PostgresDatabase.make()
  const { port } = await sharedPostgres()
  using tap = await Wiretap.on(port)
  const url = database.url.replace(`:${port}/`, `:${tap.port}/`)
  await using service = await createTestService({ ...blog, database: patientPostgres(url, options) })
  await useEverything(service as unknown as TestService)
  return tap
}

const settingsOf = ({ said }: Wiretap): readonly string[] => {
  const all = said
    .filter(({ kind }) => kind === 'start')
    .flatMap(({ texts }) => texts.filter((_, index) => index % 2 === 0))
  return [...new Set(all)].filter((name) => name !== '').sort()
}

const namesOf = ({ said }: Wiretap): ReadonlySet<string> =>
  new Set(said.filter(({ kind }) => kind === 'parse').map(({ texts }) => String(texts[0])))

/** What lives as long as a session, and would be somebody else's behind a pooler. */
const OF_A_SESSION =
  /(?:^|;)\s*(?:SET\s+(?!LOCAL\b)|RESET|LISTEN|PREPARE|DISCARD|DECLARE|LOAD|CREATE\s+TEMP)|pg_(?:try_)?advisory_lock|set_config/i

test('behind a pooler of transactions nothing is left in a session', async () => {
  const tap = await overhear({ pooler: 'transaction' })
  expect(settingsOf(tap)).toEqual(['application_name', 'client_encoding', 'database', 'user'])
  expect(namesOf(tap)).toEqual(new Set(['']))
  expect(tap.sql.length).toBeGreaterThan(200)
  expect(tap.sql.filter((sql) => OF_A_SESSION.test(sql))).toEqual([])
  expect(tap.sql.filter((sql) => /^BEGIN/.test(sql) && !/SET LOCAL lock_timeout/.test(sql))).toEqual([])
})

test('behind a pooler a read that takes too long ends all the same, and the next is not disturbed', async () => {
  await using database = await PostgresDatabase.make()
  const source = patientPostgres(database.url, { pooler: 'transaction', connections: 2, statementMs: 1000 })
  await using service = await createTestService({ ...posts, database: source })
  await send(service, '/api/posts', { json: { title: 'one' } })
  await using locked = await Lock.of(database.url, 'LOCK TABLE posts')
  const reads = Array.from({ length: 10 }, () => send(service, '/api/posts/one'))
  expect(new Set((await Promise.all(reads)).map(({ status }) => status))).toEqual(new Set([503]))
  await locked.release()
  expect((await send(service, '/api/posts/one')).status).toBe(200)
})

test('without one, sessions keep their limits and their statements', async () => {
  const tap = await overhear({})
  expect(settingsOf(tap)).toEqual(
    expect.arrayContaining(['idle_in_transaction_session_timeout', 'lock_timeout', 'statement_timeout']),
  )
  expect(namesOf(tap).size).toBeGreaterThan(10)
})

test('the guide says what a role behind a pooler has to be told, as sessions cannot be', async () => {
  const guide = await readFile(join(import.meta.dirname, '../../../../docs/going-to-production.md'), 'utf8')
  const told = [...guide.matchAll(/^ALTER ROLE daybook SET (.*);$/gm)].map(([, setting]) => setting)
  expect(told).toEqual(READ_SETTINGS)
})
