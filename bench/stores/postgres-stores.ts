import { mkdtemp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  queryOnce,
  ROLE,
  superuserUrlOf,
  urlOf,
} from '../../packages/daybook/test/support/postgres/postgres-connection.ts'
import { PostgresServer } from '../../packages/daybook/test/support/postgres/postgres-server.ts'
import { moveProcesses } from '../load/cores.ts'
import { type BenchStore, type Stores, type StoresOptions, seededName } from './stores.ts'

/** PostgreSQL's default settings, which are durable, with more memory. */
const SETTINGS = { shared_buffers: '1GB', dynamic_shared_memory_type: 'posix' }
/** The prefix of databases that are removed at the end of the run. */
const TEMPORARY = 'run_'
/** Clock ticks in a second (`USER_HZ` on Linux). */
const TICKS_PER_SECOND = 100

/** Databases on a server of the bench, whose data folder remains for later runs. */
export class PostgresStores implements Stores {
  readonly name = 'postgres'
  readonly version: string
  readonly #server: PostgresServer
  readonly #options: StoresOptions
  #count = 0

  private constructor(server: PostgresServer, version: string, options: StoresOptions) {
    this.#server = server
    this.version = version
    this.#options = options
  }

  static async start(options: StoresOptions): Promise<PostgresStores> {
    const server = await PostgresServer.make({ data: join(options.root, 'postgres'), settings: SETTINGS })
    // The first process moves first, so that the processes that it starts during the look-up follow it.
    moveProcesses([server.pid], 'database')
    moveProcesses(await findProcesses(server.pid), 'database')
    const [row] = await server.rows<{ server_version: string }>('show server_version')
    const stores = new PostgresStores(server, `PostgreSQL ${row?.server_version}`, options)
    await stores.#dropTemporary()
    return stores
  }

  async openSeeded(entries: number): Promise<BenchStore> {
    const name = seededName(entries)
    const [row] = await this.#server.rows('select 1 from pg_database where datname = $1', name)
    if (!row) {
      const store = await this.makeEmpty()
      await this.#options.fill(store, entries)
      const temporary = databaseName(store)
      // The server would do this in the background, during a measurement.
      await queryOnce(superuserUrlOf(this.#server.address, temporary), 'vacuum analyze', [])
      // A database gets its final name when it is complete.
      await this.#server.rows(`alter database ${temporary} rename to ${name}`)
      await this.#server.rows('checkpoint')
    }
    return this.#open(name)
  }

  async copy(store: BenchStore): Promise<BenchStore> {
    const copy = await this.#create(`${databaseName(store)} strategy file_copy`)
    await this.#server.rows('checkpoint')
    return copy
  }

  makeEmpty(): Promise<BenchStore> {
    return this.#create('template0')
  }

  async cpu(): Promise<number> {
    const [first = this.#server.pid, ...children] = await findProcesses(this.#server.pid)
    // Fields 14 to 17 of proc(5): the time of the process, and of its children that ended.
    const ticks = await Promise.all([readTicks(first, 4), ...children.map((pid) => readTicks(pid, 2))])
    return (ticks.reduce((sum, count) => sum + count, 0) / TICKS_PER_SECOND) * 1e6
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dropTemporary()
    await this.#server.stop()
    await this.#server[Symbol.asyncDispose]()
  }

  async #create(template: string): Promise<BenchStore> {
    this.#count += 1
    const name = `${TEMPORARY}${this.#count}`
    await this.#server.rows(`create database ${name} owner ${ROLE} template ${template}`)
    return this.#open(name)
  }

  /** Uploads need a folder, whatever the database. */
  async #open(name: string): Promise<BenchStore> {
    const address = urlOf(this.#server.address, name)
    const folder = await mkdtemp(join(this.#options.scratch, 'data-'))
    return { address, options: ['--data', folder], env: { DATABASE_URL: address } }
  }

  async #dropTemporary(): Promise<void> {
    const sql = 'select datname from pg_database where starts_with(datname, $1)'
    for (const { datname } of await this.#server.rows<{ datname: string }>(sql, TEMPORARY)) {
      await this.#server.rows(`drop database ${datname} with (force)`)
    }
  }
}

const databaseName = ({ address }: BenchStore): string => new URL(address).pathname.slice(1)

/** Reads a file of a process; empty where the system has no `/proc`. */
const readProcFile = (pid: number, name: string): Promise<string> =>
  readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')

async function findProcesses(pid: number): Promise<readonly number[]> {
  const children = await readProcFile(pid, `task/${pid}/children`)
  return [pid, ...children.split(' ').filter(Boolean).map(Number)]
}

/** Adds up the first fields of a process's times, in clock ticks. */
async function readTicks(pid: number, fieldCount: number): Promise<number> {
  const stat = await readProcFile(pid, 'stat')
  // The name of a program may contain spaces and parentheses; field 3 follows it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 11 + fieldCount).reduce((sum, field) => sum + Number(field), 0)
}
