import { Client, type ClientConfig } from 'pg'
import { describe, expect, test } from 'vitest'
import { eventually } from '../timeouts.ts'
import { queryOnce, superuserUrlOf } from './postgres-connection.ts'
import { PostgresDatabase, sharedPostgres } from './postgres-database.ts'

/** Opens a client with its own session, which it leaves with the test. */
async function connect(url: string, options: ClientConfig = {}) {
  const client = new Client({ connectionString: url, ...options })
  client.on('error', () => {})
  await client.connect()
  const value = async (sql: string): Promise<unknown> => Object.values((await client.query(sql)).rows[0] ?? {})[0]
  return {
    client,
    value,
    pid: () => value('select pg_backend_pid()'),
    [Symbol.asyncDispose]: () => client.end().catch(() => {}),
  }
}

/** Runs statements in a session and leaves it. Returns the id of its process. */
async function leave(url: string, ...statements: readonly string[]): Promise<unknown> {
  await using session = await connect(url)
  for (const sql of statements) await session.client.query(sql)
  const pid = await session.pid()
  return pid
}

describe('a session of the test run', () => {
  test('is reused by the next client of its database, without any state', async () => {
    await using database = await PostgresDatabase.make()
    const changes = [
      "set search_path = 'elsewhere'",
      'listen news',
      'create temp table notes (id int)',
      'prepare one as select 1',
    ]
    const pid = await leave(database.url, ...changes)
    await eventually(async () => {
      await using next = await connect(database.url)
      expect(await next.pid()).toBe(pid)
      expect(await next.value("select current_setting('search_path')")).toBe('"$user", public')
      expect(await next.value('select count(*)::int from pg_listening_channels()')).toBe(0)
      expect(await next.value("select to_regclass('pg_temp.notes')")).toBeNull()
      expect(await next.value('select count(*)::int from pg_prepared_statements')).toBe(0)
    })
  })

  test('has the settings that its client connects with', async () => {
    await using database = await PostgresDatabase.make()
    await leave(database.url)
    await using next = await connect(database.url, {
      application_name: "one's own",
      statement_timeout: 1234,
      options: '-c search_path=elsewhere',
    })
    expect(await next.value("select current_setting('search_path')")).toBe('elsewhere')
    expect(await next.value("select current_setting('application_name')")).toBe("one's own")
    expect(await next.value("select current_setting('statement_timeout')")).toBe('1234ms')
  })

  test('ends with a client that leaves during a transaction', async () => {
    await using database = await PostgresDatabase.make()
    await database.rows('create table notes (id int)')
    const pid = await leave(database.url, 'begin', 'insert into notes values (1)')
    await using next = await connect(database.url)
    expect(await next.pid()).not.toBe(pid)
    expect(await next.value('select count(*)::int from notes')).toBe(0)
  })

  test('that the server terminates is not reused, and its client gets an error', async () => {
    await using database = await PostgresDatabase.make()
    await using cut = await connect(database.url)
    const pid = await cut.pid()
    await queryOnce(superuserUrlOf(await sharedPostgres()), 'select pg_terminate_backend($1)', [pid])
    await expect(cut.value('select 1')).rejects.toThrow()
    await using next = await connect(database.url)
    expect(await next.pid()).not.toBe(pid)
  })

  test('passes on the errors of the server', async () => {
    const address = superuserUrlOf(await sharedPostgres(), 'nowhere')
    await expect(queryOnce(address, 'select 1', [])).rejects.toMatchObject({
      code: '3D000',
      message: expect.stringContaining('"nowhere" does not exist'),
    })
  })
})
