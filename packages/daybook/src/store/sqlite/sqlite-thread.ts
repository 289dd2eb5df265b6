import { DaybookError } from '../../errors.ts'
import { type AbortReason, resolveSiblingModule, TaskAborted, ThreadPool } from '../../threads/thread-pool.ts'
import type { Connection } from '../connection.ts'
import type { Statement, StatementValues } from '../statement.ts'
import { translateSqliteError } from './sqlite-connection.ts'
import type { ThreadRequest } from './sqlite-thread-worker.ts'

/** Bounds of a {@link SqliteThread}. */
export interface ThreadBounds {
  /** How long one statement may run, in milliseconds. @default 10000 */
  readonly statementMs?: number
  /** How many statements may wait while one runs. @default 64 */
  readonly waiting?: number
}

const DEFAULT_LIMITS: Required<ThreadBounds> = { statementMs: 10_000, waiting: 64 }
/** SQLite only looks up between statements, so an ended thread computes on until its statement is through. */
const MAX_ENDING = 2

/** Room for what the thread soon throws away, in MiB; with more of it, it only holds more garbage. */
const SEARCH_YOUNG_HEAP = 8

const REFUSALS: Readonly<Record<AbortReason, string>> = {
  closed: 'The store is closed.',
  full: 'Too many searches wait.',
  stuck: 'Searches that took too long still run.',
  overrun: 'This took too long to find.',
  died: 'The reading thread died.',
}

/**
 * A connection that reads in a thread of its own, one statement after the other, so that a long one keeps no request
 * else waiting.
 */
export class SqliteThread implements Connection {
  readonly #pool: ThreadPool<ThreadRequest, unknown>

  constructor(file: string, limits: ThreadBounds = {}) {
    const { statementMs, waiting } = { ...DEFAULT_LIMITS, ...limits }
    this.#pool = new ThreadPool({
      module: resolveSiblingModule(import.meta.url, 'sqlite-thread-worker'),
      worker: { workerData: file, resourceLimits: { maxYoungGenerationSizeMb: SEARCH_YOUNG_HEAP } },
      threads: 1,
      taskTimeoutMs: statementMs,
      maxWaiting: waiting,
      maxEnding: MAX_ENDING,
    })
  }

  /** @throws SERVICE_UNAVAILABLE when too many statements wait, this one takes too long, or the connection is closed */
  async all<Row>(statement: Statement<Row>, values: StatementValues = {}): Promise<readonly Row[]> {
    return (await this.#ask(statement, values, 'all')) as readonly Row[]
  }

  /** @throws SERVICE_UNAVAILABLE, as {@link all} */
  async get<Row>(statement: Statement<Row>, values: StatementValues = {}): Promise<Row | undefined> {
    return (await this.#ask(statement, values, 'get')) as Row | undefined
  }

  /** Always rejects: this connection only reads. */
  async run(): Promise<number> {
    throw new Error('The reading thread does not write.')
  }

  /** Refuses what runs and what waits, and ends the thread; resolves when it has let go of the file. */
  async close(): Promise<void> {
    await this.#pool.close()
  }

  async #ask(statement: Statement, values: StatementValues, method: ThreadRequest['method']): Promise<unknown> {
    try {
      return await this.#pool.run({ sql: statement.sql, parameters: statement.bind(values), method })
    } catch (error) {
      if (!(error instanceof TaskAborted)) throw translateSqliteError(error)
      throw new DaybookError('SERVICE_UNAVAILABLE', REFUSALS[error.reason], {}, error.cause)
    }
  }
}
