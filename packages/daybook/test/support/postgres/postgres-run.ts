import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import type { SharedPostgres } from './postgres-connection.ts'
import { PostgresKeeper } from './postgres-keeper.ts'
import { TEMPLATE } from './postgres-program.ts'
import type { PostgresServer } from './postgres-server.ts'
import type { SessionPool } from './session-pool.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The URL that returns the address of the test run's PostgreSQL. The first request starts it. */
    readonly postgresDoor: string
  }
}

interface Parts {
  readonly server: PostgresServer
  readonly sessions: SessionPool
}

/** Settings of a server that need not survive a crash and needs no statistics. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', autovacuum: 'off', max_wal_size: '64MB' } as const

/** Provides a test run with one PostgreSQL, started on first use, and with one template for the servers of single tests. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-template-'))
  const template = join(folder, 'data')
  process.env[TEMPLATE] = template
  // The keeper removes the folder even if the run is killed.
  const keeper = new PostgresKeeper(template, [folder])
  let parts: Promise<Parts> | undefined
  const door = createServer(async (_request, response) => {
    parts ??= start()
    try {
      const { sessions, server } = await parts
      response.end(JSON.stringify({ sessions: sessions.address, server: server.address } satisfies SharedPostgres))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  door.listen(0, '127.0.0.1')
  await once(door, 'listening')
  project.provide('postgresDoor', `http://127.0.0.1:${(door.address() as AddressInfo).port}`)
  return async () => {
    door.close()
    const { sessions, server } = (await parts) ?? {}
    await sessions?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
    await keeper.dismiss()
  }
}

/** Starts the server. Its modules are loaded late, since most runs of one file need no PostgreSQL. */
async function start(): Promise<Parts> {
  const [{ PostgresServer }, { SessionPool }] = await Promise.all([
    import('./postgres-server.ts'),
    import('./session-pool.ts'),
  ])
  const server = await PostgresServer.make({ settings: SETTINGS, inMemory: true })
  return { server, sessions: await SessionPool.start(server.address) }
}
