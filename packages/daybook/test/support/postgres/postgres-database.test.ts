import { Client } from 'pg'
import { describe, expect, inject, test } from 'vitest'
import { eventually } from '../timeouts.ts'
import { queryOnce, urlOf } from './postgres-connection.ts'
import { barePostgres, PostgresDatabase, sharedPostgres } from './postgres-database.ts'

describe('the PostgreSQL of the test run', () => {
  test('is started once, also for concurrent requests', async () => {
    const responses = await Promise.all([1, 2, 3].map(() => fetch(inject('postgresDoor'))))
    const addresses = await Promise.all(responses.map((response) => response.json()))
    expect(addresses).toEqual(Array(3).fill({ sessions: await sharedPostgres(), server: await barePostgres() }))
  })

  test('is version 18, and takes 300 connections from this machine', async () => {
    await using database = await PostgresDatabase.make()
    const names = ['server_version_num', 'max_connections', 'listen_addresses', 'timezone']
    const settings = await database.rows('select current_setting(name) as value from unnest($1::text[]) name', names)
    expect(settings).toEqual([
      { value: expect.stringMatching(/^18\d{4}$/) },
      { value: '300' },
      { value: '127.0.0.1' },
      { value: 'UTC' },
    ])
  })

  test.each([sharedPostgres, barePostgres])('asks for the password', async (addressOf) => {
    await using database = await PostgresDatabase.make()
    const url = urlOf({ ...(await addressOf()), password: 'guessed' }, database.name)
    await expect(queryOnce(url, 'select 1', [])).rejects.toThrow('password authentication failed')
  })
})

describe('a database of one test', () => {
  test('is encoded as UTF-8, and compares by code point', async () => {
    await using database = await PostgresDatabase.make()
    const current = 'from pg_database where datname = current_database()'
    expect(
      await database.rows(`select pg_encoding_to_char(encoding) as encoding, datcollate, datctype ${current}`),
    ).toEqual([{ encoding: 'UTF8', datcollate: 'C', datctype: 'C' }])
  })

  test('is empty, and usable by a role that is no superuser', async () => {
    await using database = await PostgresDatabase.make()
    expect(await database.rows('select usesuper from pg_user where usename = current_user')).toEqual([
      { usesuper: false },
    ])
    expect(await database.rows("select relname from pg_class where relnamespace = 'public'::regnamespace")).toEqual([])
    await database.rows('create table notes (id int)')
    expect(await database.rows('select id from notes')).toEqual([])
  })

  test('is separate from other databases', async () => {
    await using first = await PostgresDatabase.make()
    await using second = await PostgresDatabase.make()
    await first.rows('create table notes (id int)')
    await expect(second.rows('select id from notes')).rejects.toThrow('does not exist')
  })

  test('is dropped after the test, even while a client is connected', async () => {
    const database = await PostgresDatabase.make()
    const client = new Client({ connectionString: database.url })
    const errors: Error[] = []
    client.on('error', (error) => errors.push(error))
    await client.connect()
    await database[Symbol.asyncDispose]()
    await eventually(() => expect(errors.map(String).join()).toContain('terminating connection'))
    await expect(database.rows('select 1')).rejects.toThrow('does not exist')
  })
})
