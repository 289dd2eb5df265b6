import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { postgres } from '../../packages/daybook/src/store/postgres/postgres.ts'
import { ROLE, superuserUrlOf, urlOf } from '../../packages/daybook/test/support/postgres/postgres-address.ts'
import { queryOnce } from '../../packages/daybook/test/support/postgres/postgres-query.ts'
import { PostgresServer } from '../../packages/daybook/test/support/postgres/postgres-server.ts'
import { CONFIG, SOURCES } from '../bench.ts'
import { move } from '../load/cores.ts'
import type { BenchStore, Databases, Ground } from './databases.ts'
import { cpuOf, processesOf } from './postgres-process.ts'
import { prepareStore, stampOf } from './seed.ts'
import { SqliteDatabases } from './sqlite-databases.ts'

/** PostgreSQL as it comes, durable, with memory for more than a test. */
const SETTINGS = { shared_buffers: '1GB', dynamic_shared_memory_type: 'posix' }
/** What the names of databases begin with that go with the run. */
const PASSING = 'run_'

/** Databases on a server of the bench's own, whose data folder is kept for other runs. */
export class PostgresDatabases implements Databases {
  readonly engine = 'postgres'
  readonly version: string
  readonly #server: PostgresServer
  readonly #ground: Ground
  #made = 0

  private constructor(server: PostgresServer, version: string, ground: Ground) {
    this.#server = server
    this.version = version
    this.#ground = ground
  }

  static async start(ground: Ground): Promise<PostgresDatabases> {
    await mkdir(ground.root, { recursive: true })
    const server = await PostgresServer.make({ data: join(ground.root, 'postgres'), settings: SETTINGS })
    // The first process goes first: what it starts while the others are being looked up goes with it.
    move([server.pid], 'database')
    move(await processesOf(server.pid), 'database')
    const [found] = await server.rows<{ server_version: string }>('show server_version')
    const databases = new PostgresDatabases(server, `PostgreSQL ${found?.server_version}`, ground)
    await databases.#dropPassing()
    return databases
  }

  async seeded(entries: number): Promise<BenchStore> {
    const name = `entries_${entries}`
    const stamp = stampOf(entries, this.#ground.model)
    if ((await this.#stamp(name)) !== stamp) {
      await this.#server.rows(`drop database if exists ${name}`)
      await this.#fill(await this.#create(name), entries)
      await this.#settle(name, stamp)
    }
    const store = this.#store(name)
    const database = await store.open()
    try {
      await prepareStore(database, this.#ground.model)
    } finally {
      await database.close()
    }
    return store
  }

  /** Copies the store of the same size from SQLite: the writer sends every statement to the server by itself. */
  async #fill({ address }: BenchStore, entries: number): Promise<void> {
    const from = await new SqliteDatabases(this.#ground).seeded(entries)
    this.#ground.say('copying from SQLite …')
    const addresses = ['--from', `sqlite:${from.address}`, '--to', address]
    const copying = spawn(process.execPath, [SOURCES, 'copy', '--config', CONFIG, ...addresses], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const [status] = await once(copying, 'exit')
    if (status !== 0) throw new Error('The seeded store could not be copied; the reason stands above.')
  }

  async copyOf({ address }: BenchStore): Promise<BenchStore> {
    const store = await this.#create(this.#passing(), `${nameIn(address)} strategy file_copy`)
    await this.#server.rows('checkpoint')
    return store
  }

  blank(): Promise<BenchStore> {
    return this.#create(this.#passing())
  }

  async forFloor(): Promise<string> {
    return (await this.blank()).address
  }

  cpu(): Promise<number> {
    return cpuOf(this.#server.pid)
  }

  unpin(): void {
    move([this.#server.pid], 'anywhere')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dropPassing()
    await this.#server.stop()
    await this.#server[Symbol.asyncDispose]()
  }

  #passing(): string {
    this.#made += 1
    return `${PASSING}${this.#made}`
  }

  async #create(name: string, template = 'template0'): Promise<BenchStore> {
    await this.#server.rows(`create database ${name} owner ${ROLE} template ${template}`)
    return this.#store(name)
  }

  #store(name: string): BenchStore {
    const address = urlOf(this.#server.address, name)
    return {
      address,
      options: [],
      env: { DATABASE_URL: address },
      open: () => postgres(address).open(),
    }
  }

  /** What was noted of a database once it was complete. */
  async #stamp(name: string): Promise<string | undefined> {
    const noted = "select shobj_description(oid, 'pg_database') as stamp from pg_database where datname = $1"
    return (await this.#server.rows<{ stamp: string }>(noted, name))[0]?.stamp
  }

  /** Does at once what the server would do in the background, under somebody's measurement. */
  async #settle(name: string, stamp: string): Promise<void> {
    await queryOnce(superuserUrlOf(this.#server.address, name), 'vacuum analyze', [])
    await this.#server.rows(`comment on database ${name} is '${stamp.replaceAll("'", "''")}'`)
    await this.#server.rows('checkpoint')
  }

  async #dropPassing(): Promise<void> {
    const named = 'select datname from pg_database where starts_with(datname, $1)'
    for (const { datname } of await this.#server.rows<{ datname: string }>(named, PASSING)) {
      await this.#server.rows(`drop database ${datname} with (force)`)
    }
  }
}

const nameIn = (address: string): string => new URL(address).pathname.slice(1)
