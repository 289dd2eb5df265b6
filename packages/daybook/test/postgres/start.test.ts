import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { ANONYMOUS, createService, defineCollection, f, StartupError } from 'daybook'
import type { PostgresOptions } from 'daybook/postgres'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FaultyProxy } from '../support/network/faulty-proxy.ts'
import { freePort } from '../support/network/free-port.ts'
import { queryOnce, ROLE, superuserUrlOf } from '../support/postgres/postgres-connection.ts'
import { barePostgres, PostgresDatabase } from '../support/postgres/postgres-database.ts'
import { slowMachinePostgres } from '../support/postgres/slow-machine-postgres.ts'
import { expectQuietProcess } from '../support/scenarios/sane.ts'
import { Load } from './load.ts'
import { ServiceNode, startInVain } from './node.ts'
import { posts } from './posts.ts'

let database: PostgresDatabase

beforeEach(async () => {
  database = await PostgresDatabase.make(await barePostgres())
  return () => database[Symbol.asyncDispose]()
})

afterEach(expectQuietProcess)

/** The time for which a write waits for its turn (docs/guides/writing-content.md), in milliseconds. */
const TURN_MS = 4000
const TOKEN = 'token-of-the-start-0123456789abcdef'
const LOCALES = { default: 'en', available: ['en', 'de'] }

const open = (url: string | undefined, options: PostgresOptions = {}) =>
  createService(
    {
      ...posts,
      database: slowMachinePostgres(url, options),
      seed: async (content) => {
        await content.create('posts', { title: 'seeded' })
      },
    },
    { serviceToken: TOKEN },
  )

/** Returns the URL of the database with a change. */
function changed(change: (url: URL) => void): string {
  const url = new URL(database.url)
  change(url)
  return url.href
}

async function asSuperuser(sql: string): Promise<void> {
  await queryOnce(superuserUrlOf(await barePostgres()), sql, [])
}

/** A password that no message may contain. */
const SECRET = 'a-secret-that-nobody-sees'

/** Creates a role for one test that may connect. */
async function makeRole(options = '') {
  const name = `role_${randomBytes(6).toString('hex')}`
  await asSuperuser(`CREATE ROLE ${name} LOGIN PASSWORD '${SECRET}' ${options}`)
  const url = changed((parts) => {
    parts.username = name
    parts.password = SECRET
  })
  return { url, [Symbol.asyncDispose]: () => asSuperuser(`DROP ROLE ${name}`) }
}

/** Starts a relay that makes the server claim to be version 13. */
async function oldServer() {
  const { port } = await barePostgres()
  const relay = createServer((client) => {
    const server = connect(port, '127.0.0.1')
    client.pipe(server)
    server.on('data', (chunk) =>
      client.write(Buffer.from(chunk.toString('latin1').replace(/\b18\d{4}\b/, '130023'), 'latin1')),
    )
    for (const socket of [client, server]) socket.on('error', () => {})
    server.on('close', () => client.destroy())
    client.on('close', () => server.destroy())
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const url = changed((parts) => {
    parts.port = String((relay.address() as AddressInfo).port)
  })
  return { url, [Symbol.asyncDispose]: async () => void relay.close() }
}

/** Creates a database that is not encoded as UTF-8. */
async function asciiDatabase() {
  const name = `ascii_${randomBytes(6).toString('hex')}`
  await asSuperuser(`CREATE DATABASE ${name} OWNER ${ROLE} ENCODING 'SQL_ASCII' TEMPLATE template0`)
  const url = changed((parts) => {
    parts.pathname = `/${name}`
  })
  return { url, [Symbol.asyncDispose]: () => asSuperuser(`DROP DATABASE ${name} WITH (FORCE)`) }
}

/** Makes the database look as if another version of Daybook had opened it. */
async function databaseOfAnotherVersion(): Promise<string> {
  await (await open(database.url)).close()
  await database.rows("UPDATE daybook$meta SET value = '999' WHERE key = 'layout'")
  return database.url
}

type Place = string | undefined | ({ readonly url: string } & AsyncDisposable)

/** Bad addresses, each with the expected message. */
const WRONG: Readonly<Record<string, readonly [place: () => Place | Promise<Place>, message: RegExp]>> = {
  'no URL': [() => undefined, /^DATABASE_URL is not set\. Write postgres:/],
  'an empty URL': [() => '', /^DATABASE_URL is not set\. Write postgres:/],
  'a text that is no URL': [() => SECRET, /^DATABASE_URL is not a URL of PostgreSQL\. Write postgres:/],
  'a URL of something else': [() => `https://user:${SECRET}@127.0.0.1/`, /^DATABASE_URL is not a URL of PostgreSQL/],
  'a password with a # in it': [
    () => changed(() => {}).replace(/:[^:@]+@/, `:#${SECRET}@`),
    /^DATABASE_URL has an @ that does not end a user and password\. In the password, write/,
  ],
  'a password with a / in it': [
    () => changed(() => {}).replace(/:[^:@]+@/, `:1234/${SECRET}@`),
    /^DATABASE_URL has an @ that does not end a user and password\. In the password, write/,
  ],
  'an unknown host': [
    () =>
      changed((url) => {
        url.hostname = 'nowhere.invalid'
      }),
    /^PostgreSQL does not respond at postgres:\/\/daybook@nowhere\.invalid:\d+\/test_\w+\. Check that it is running/,
  ],
  'a closed port': [
    async () => {
      const port = await freePort()
      return changed((url) => {
        url.port = String(port)
      })
    },
    /^PostgreSQL does not respond at postgres:\/\/daybook@127\.0\.0\.1:\d+\/test_\w+\. Check that it is running.*ECONNREFUSED/,
  ],
  'a server without TLS where it is asked for': [
    () =>
      changed((url) => {
        url.search = '?sslmode=verify-full'
      }),
    /^PostgreSQL at postgres:\S+ does not speak TLS\. Turn it on there/,
  ],
  'a wrong password': [
    () =>
      changed((url) => {
        url.password = SECRET
      }),
    /^PostgreSQL at postgres:\S+ rejects this user or password\. Check DATABASE_URL\./,
  ],
  'no password': [
    () =>
      changed((url) => {
        url.password = ''
      }),
    /^PostgreSQL at postgres:\S+ cannot be used: .*password/,
  ],
  'an unknown database': [
    () =>
      changed((url) => {
        url.pathname = '/nothing'
      }),
    /^The database postgres:\S+\/nothing does not exist\. Create it first/,
  ],
  'an unknown schema': [
    () =>
      changed((url) => {
        url.search = '?options=-c%20search_path%3Dnowhere'
      }),
    /^The search_path names no schema that exists\. Create one first: CREATE SCHEMA/,
  ],
  'a user who may not create tables': [
    () => makeRole(),
    /^The user is not allowed to create tables in schema public\. Run: GRANT CREATE ON SCHEMA public/,
  ],
  'a user with no connection left': [
    () => makeRole('CONNECTION LIMIT 0'),
    /^PostgreSQL at postgres:\S+ accepts no more connections\. Raise its limit/,
  ],
  'a server that is too old': [oldServer, /^PostgreSQL 13 is too old\. Use 14 or newer\.$/],
  'a database that is not in UTF-8': [
    asciiDatabase,
    /^The database is encoded as SQL_ASCII\. Create one with ENCODING 'UTF8'\.$/,
  ],
  'a database of another version of Daybook': [
    databaseOfAnotherVersion,
    /^This database was made by another version of Daybook .*Update Daybook, or use that version\.$/,
  ],
}

/** Checks that a text contains no password or part of one. */
function expectNoSecret(text: string): void {
  expect(text).not.toContain(SECRET)
  expect(text).not.toContain(new URL(database.url).password)
  expect(text).not.toContain('1234')
}

describe('a failing start says what is wrong and what to do, and shows no password', () => {
  test.each(Object.entries(WRONG))('with %s', async (_name, [find, message]) => {
    const place = await find()
    const url = typeof place === 'object' ? place.url : place
    try {
      const [error, node] = await Promise.all([open(url).catch((reason) => reason), startInVain(url)])
      expect(error).toBeInstanceOf(StartupError)
      expect(error.message).toMatch(message)
      expectNoSecret(`${error.message} ${error.stack}`)
      expect(node).toEqual({ status: 1, stdout: '', stderr: expect.stringMatching(/^daybook: [^\n]+\n$/) })
      expect(node.stderr.slice('daybook: '.length).trimEnd()).toMatch(message)
      expectNoSecret(node.stderr)
    } finally {
      if (typeof place === 'object') await place[Symbol.asyncDispose]()
    }
  })

  test('without the driver', async () => {
    const preload = join(import.meta.dirname, 'without-driver.ts')
    expect(await startInVain(database.url, { preload })).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^daybook: PostgreSQL needs its driver\. Run: npm install pg \([^\n]+\)\n$/),
    })
  })

  test('with a connection that is lost while the tables are created', async () => {
    const { port } = await barePostgres()
    await using network = await FaultyProxy.to(port)
    const url = database.url.replace(`:${port}/`, `:${network.port}/`)
    for (const fate of ['lost', 'delivered'] as const) {
      const cut = network.cutAt(/CREATE TABLE/, fate).then(() => network.refuse())
      await expect(open(url)).rejects.toThrow(/^PostgreSQL does not respond at postgres:/)
      await cut
      await network.heal()
    }
    await (await open(url)).close()
  })
})

const schema = () =>
  database.rows(
    `SELECT c.relname, c.relkind, pg_get_indexdef(c.oid) AS made FROM pg_class c
     WHERE c.relnamespace = 'public'::regnamespace ORDER BY 1`,
  )

const seeded = async (): Promise<unknown> =>
  (
    await database.rows("SELECT count(*) AS n, (SELECT seq FROM daybook$head) AS head FROM posts WHERE slug = 'seeded'")
  )[0]

describe('services that start on one new database', () => {
  test('concurrently all start, create one schema and seed it once', async () => {
    const services = await Promise.all(Array.from({ length: 10 }, () => open(database.url)))
    const before = await schema()
    expect(await seeded()).toEqual({ n: 1, head: 1 })
    for (const { content } of services)
      expect(await content.as(ANONYMOUS).get('posts', 'seeded')).toMatchObject({ title: 'seeded' })
    await Promise.all(services.map((service) => service.close()))
    await (await open(database.url)).close()
    expect(await schema()).toEqual(before)
  })

  test('one after the other with another config do not disturb a service that writes', async () => {
    const first = await open(database.url)
    const load = new Load({ ...first, token: TOKEN }, 'load')
    let longest = 0
    for (let round = 0; round < 6; round++) {
      const startedAt = performance.now()
      const fields = { ...posts.collections.posts.fields, [`more${round % 2}`]: f.text({ localized: true }) }
      const config = { collections: { posts: defineCollection({ fields }) }, locales: LOCALES }
      await (await createService({ ...config, database: slowMachinePostgres(database.url) })).close()
      longest = Math.max(longest, performance.now() - startedAt)
    }
    await load.stop()
    await first.close()
    // On a busy machine, a start can take longer than a write may wait for its turn: then some writes are 503.
    if (longest < TURN_MS) expect(load.statuses).toEqual(new Set([201]))
    else expect([201, 503]).toEqual(expect.arrayContaining([...load.statuses]))
    expect(new Set(load.reads)).toEqual(new Set([200]))
  })

  /** Moments at which a node is killed: before or after a statement reaches the server. */
  const MOMENTS = [
    ['before its first table', /CREATE TABLE IF NOT EXISTS "daybook.globals"/, 'lost'],
    ['between its system tables', /CREATE TABLE IF NOT EXISTS "daybook.journal" /, 'delivered'],
    ['at the table of a collection', /CREATE TABLE IF NOT EXISTS "posts"/, 'delivered'],
    ['at an index', /CREATE INDEX "posts/, 'delivered'],
    ['at the end of its schema', /COMMIT/, 'lost'],
    ['with its schema', /COMMIT/, 'delivered'],
    ['during its seed', /INSERT INTO "posts"/i, 'delivered'],
  ] as const

  test.each(MOMENTS)('after one that was killed %s start successfully', async (_when, text, fate) => {
    const { port } = await barePostgres()
    await using network = await FaultyProxy.to(port)
    await using node = ServiceNode.spawn(database.url.replace(`:${port}/`, `:${network.port}/`))
    await network.cutAt(text, fate)
    await node.kill()
    const service = await open(database.url)
    const before = await schema()
    expect(await service.content.as(ANONYMOUS).get('posts', 'seeded')).toMatchObject({ title: 'seeded' })
    await service.close()
    expect(await seeded()).toEqual({ n: 1, head: 1 })
    await (await open(database.url)).close()
    expect(await schema()).toEqual(before)
  })
})
