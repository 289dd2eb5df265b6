import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { eventually } from '../timeouts.ts'
import { urlOf } from './postgres-connection.ts'
import { PostgresDatabase } from './postgres-database.ts'
import { PostgresServer } from './postgres-server.ts'

/** Opens a connection that ignores errors, as a service does. */
async function connect(server: PostgresServer): Promise<Client> {
  const client = new Client({ connectionString: urlOf(server.address, 'postgres') })
  client.on('error', () => {})
  await client.connect()
  return client
}

test('is durable by default, and takes settings', async () => {
  await using server = await PostgresServer.make({ settings: { work_mem: '5MB' } })
  expect(await server.rows('show fsync')).toEqual([{ fsync: 'on' }])
  expect(await server.rows('show work_mem')).toEqual([{ work_mem: '5MB' }])
})

test('keeps its port and its data over a restart and a crash', async () => {
  await using server = await PostgresServer.make()
  await using database = await PostgresDatabase.make(server.address)
  await database.rows('create table notes (id int)')
  await database.rows('insert into notes values (1)')
  await server.restart()
  await database.rows('insert into notes values (2)')
  await server.kill()
  await server.start()
  expect(await database.rows('select id from notes')).toEqual([{ id: 1 }, { id: 2 }])
})

test('refuses connections while it is stopped', async () => {
  await using server = await PostgresServer.make()
  await server.stop()
  await expect(connect(server)).rejects.toThrow('ECONNREFUSED')
  expect(() => server.pid).toThrow('does not run')
})

test('ends sessions when it is killed', async () => {
  await using server = await PostgresServer.make()
  const client = await connect(server)
  const waiting = expect(client.query('select pg_sleep(60)')).rejects.toThrow('terminated')
  await server.kill()
  await waiting
  await server.start()
})

test('does not respond while it is paused, and continues when it is resumed', async () => {
  await using server = await PostgresServer.make()
  const client = await connect(server)
  await server.pause()
  const rows: unknown[] = []
  const query = client.query('select 1 as one').then((result) => rows.push(...result.rows))
  await sleep(100)
  expect(rows).toEqual([])
  server.resume()
  await query
  expect(rows).toEqual([{ one: 1 }])
  await client.end()
})

test('can be killed and disposed while it is paused', async () => {
  await using server = await PostgresServer.make()
  await server.pause()
  await server.kill()
  await server.start()
  await server.pause()
})

test('keeps an existing data folder for the next server', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-data-'))
  // PostgreSQL runs as a user other than root.
  await chmod(folder, 0o755)
  try {
    const data = join(folder, 'data')
    await PostgresServer.make({ data }).then(async (first) => {
      await using server = first
      await server.rows('create table notes as select 1 as id')
    })
    await using second = await PostgresServer.make({ data })
    expect(await second.rows('select id from notes')).toEqual([{ id: 1 }])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('reports why it does not start', async () => {
  await expect(PostgresServer.make({ settings: { max_connections: 0 } })).rejects.toThrow('max_connections')
})

describe('after its process was killed', () => {
  test('stops, and its folder is removed', async () => {
    const temporary = await mkdtemp(join(tmpdir(), 'daybook-killed-'))
    await chmod(temporary, 0o755)
    const script = join(import.meta.dirname, 'left-behind.ts')
    const starter = spawn(process.execPath, [script], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [output] = await once(starter.stdout, 'data')
    const pid = Number(String(output))
    expect(await readdir(temporary)).toHaveLength(1)
    expect(process.kill(pid, 0)).toBe(true)
    starter.kill('SIGKILL')
    await eventually(async () => expect(await readdir(temporary)).toEqual([]))
    await rm(temporary, { recursive: true })
  })
})
