import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { freePort } from '../network/free-port.ts'
import { memoryFolder } from '../stores/folder.ts'
import { type PostgresAddress, queryOnce, ROLE, superuserUrlOf } from './postgres-connection.ts'
import { PostgresKeeper } from './postgres-keeper.ts'
import { findProgram, initialise, type Program, passwordOf } from './postgres-program.ts'

/** Settings of every test server. Durability is PostgreSQL's default. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 300,
  // Lies in the data folder, which is removed; a killed server would leave other shared memory behind.
  dynamic_shared_memory_type: 'mmap',
} as const

/** The maximum time to start or stop, in milliseconds. */
const PATIENCE_MS = 60_000

const LOCK_FILE = 'postmaster.pid'

/** The number of characters kept from the end of the server's output. */
const LOG_LENGTH = 16_000

export interface ServerOptions {
  readonly settings?: Readonly<Record<string, string | number>>
  /** A data folder that outlives the server, created if missing. @default one that is removed with the server */
  readonly data?: string
  /** @default a free port */
  readonly port?: number
  /** Keeps the data in memory if the system has room for it, so that creating databases waits for no disk. @default false */
  readonly inMemory?: boolean
}

/** The fixed parts of a server. */
interface Parts {
  readonly program: Program
  readonly data: string
  readonly address: PostgresAddress
  readonly keeper: PostgresKeeper
  readonly settings: Readonly<Record<string, string | number>>
}

/** A PostgreSQL that ends with the test or its process, even if that is killed. */
export class PostgresServer implements AsyncDisposable {
  readonly address: PostgresAddress
  readonly #parts: Parts
  #process: ChildProcess | undefined
  #output = ''
  /** Every process of the server while it is paused. */
  #paused: readonly number[] = []

  private constructor(parts: Parts) {
    this.#parts = parts
    this.address = parts.address
  }

  /**
   * Creates and starts a server.
   *
   * @throws {Error} if it does not start, with its output
   */
  static async make(options: ServerOptions = {}): Promise<PostgresServer> {
    const folder = await temporary(tmpdir())
    // A file system in memory may forbid programs, so only the data lies there.
    const newData = options.inMemory ? await temporary(await memoryFolder()) : join(folder, 'data')
    const data = options.data ?? newData
    const keeper = new PostgresKeeper(data, [folder, newData])
    try {
      const program = await findProgram(folder)
      const isNew = !existsSync(join(data, 'PG_VERSION'))
      const password = isNew ? await initialise(program, data) : await passwordOf(data)
      const address = { port: options.port ?? (await freePort()), password }
      const settings = { ...SETTINGS, ...options.settings }
      const server = new PostgresServer({ program, data, address, keeper, settings })
      await server.start()
      if (isNew) await server.rows(`create role ${ROLE} login createdb password '${password}'`)
      return server
    } catch (error) {
      await keeper.dismiss()
      throw error
    }
  }

  /** The id of the server's main process. */
  get pid(): number {
    if (this.#process?.pid === undefined) throw new Error('PostgreSQL does not run.')
    return this.#process.pid
  }

  /** Starts a stopped or killed server again on the same port and data, and waits until it takes connections. */
  async start(): Promise<void> {
    const { program, data, address, keeper, settings } = this.#parts
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    // Detached: an interrupt from the keyboard is for the tests alone.
    const child = spawn(program.postgres, ['-D', data, '-p', `${address.port}`, ...flags], {
      ...program.options,
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#output = (this.#output + text).slice(-LOG_LENGTH)
    })
    await once(child, 'spawn')
    this.#process = child
    keeper.watch(child.pid)
    child.once('exit', () => {
      this.#process = undefined
      keeper.watch(undefined)
    })
    await this.#untilReady(child)
  }

  /** Stops cleanly, and ends sessions and transactions. */
  async stop(): Promise<void> {
    this.resume()
    await this.#end(() => process.kill(this.pid, 'SIGINT'))
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  /** Kills every process of the server at once (`kill -9`). */
  async kill(): Promise<void> {
    if (this.#paused.length === 0) await this.pause()
    const all = this.#paused
    this.#paused = []
    await this.#end(() => signal(all, 'SIGKILL'))
  }

  /** Pauses every process of the server: connections stay open, and nothing responds. */
  async pause(): Promise<void> {
    const socket = new Socket()
    const client = new Client({ connectionString: superuserUrlOf(this.address), stream: () => socket })
    client.on('error', () => {})
    await client.connect()
    // The main process starts the others, so it is paused first.
    process.kill(this.pid, 'SIGSTOP')
    const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity')
    this.#paused = [this.pid, ...rows.map(({ pid }) => pid)]
    signal(this.#paused, 'SIGSTOP')
    socket.destroy()
  }

  resume(): void {
    signal(this.#paused, 'SIGCONT')
    this.#paused = []
  }

  /** Runs a query as the superuser, outside the databases of tests. */
  rows<Row extends object>(sql: string, ...values: unknown[]): Promise<readonly Row[]> {
    return queryOnce<Row>(superuserUrlOf(this.address), sql, values)
  }

  /** Stops the server and removes its files, except for `ServerOptions.data`. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.resume()
    await this.#parts.keeper.dismiss()
  }

  /** Waits for all processes of the server: they share its error output, which closes with the last of them. */
  async #end(strike: () => void): Promise<void> {
    const child = this.#process
    if (!child) throw new Error('PostgreSQL does not run.')
    const closed = once(child, 'close', { signal: AbortSignal.timeout(PATIENCE_MS) })
    strike()
    await closed
  }

  async #untilReady(child: ChildProcess): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS
    while (!(await this.#isReady(child))) {
      if (child.exitCode === null && child.signalCode === null && Date.now() < deadline) await sleep(5)
      else throw new Error(`PostgreSQL did not start:\n${this.#output}`)
    }
  }

  /** The server writes its state to the eighth line of its lock file. */
  async #isReady(child: ChildProcess): Promise<boolean> {
    const lines = (await readFile(join(this.#parts.data, LOCK_FILE), 'utf8').catch(() => '')).split('\n')
    return lines[0] === `${child.pid}` && lines[7]?.trim() === 'ready'
  }
}

const temporary = (place: string): Promise<string> => mkdtemp(join(place, 'daybook-postgres-'))

/** Signals processes, and ignores those that are gone. */
function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}
