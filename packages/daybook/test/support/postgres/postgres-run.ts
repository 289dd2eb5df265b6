import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import type { SharedPostgres } from './postgres-address.ts'
import { PostgresKeeper } from './postgres-keeper.ts'
import { TEMPLATE } from './postgres-program.ts'
import type { PostgresServer } from './postgres-server.ts'
import type { SessionPool } from './session-pool.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the server of the test run is asked for; it starts with the first question. */
    readonly postgresDoor: string
  }
}

/** The server of the run, and what keeps its sessions. */
interface Parts {
  readonly server: PostgresServer
  readonly sessions: SessionPool
}

/** The server is thrown away with the run: nothing has to survive a crash, and no statistics are needed. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', autovacuum: 'off', max_wal_size: '64MB' } as const

/** Gives a test run one PostgreSQL, which only those pay for that ask for it, and one template for servers of their own. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-template-'))
  const template = join(folder, 'data')
  process.env[TEMPLATE] = template
  // It removes the folder also when the run is killed.
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

/** Loaded late, too: most runs of one file have no use for a database. */
async function start(): Promise<Parts> {
  const [{ PostgresServer }, { SessionPool }] = await Promise.all([
    import('./postgres-server.ts'),
    import('./session-pool.ts'),
  ])
  const server = await PostgresServer.make({ settings: SETTINGS, inMemory: true })
  return { server, sessions: await SessionPool.start(server.address) }
}
