import { DaybookError } from '../../errors.ts'
import { type AbortReason, resolveSiblingModule, TaskAborted, ThreadPool } from '../../threads/thread-pool.ts'
import type { Connection } from '../connection.ts'
import type { Statement, StatementValues } from '../statement.ts'
import { translateSqliteError } from './sqlite-connection.ts'
import type { ThreadRequest } from './sqlite-thread-worker.ts'

export interface ThreadLimits {
  /** The timeout of a statement, in milliseconds. @default 10000 */
  readonly statementMs?: number
  /** The maximum number of queued statements. @default 64 */
  readonly waiting?: number
}

const DEFAULT_LIMITS: Required<ThreadLimits> = { statementMs: 10_000, waiting: 64 }
/** The maximum number of ending threads. An ended thread computes until its statement is complete. */
const MAX_ENDING = 2

/** The size of the thread's young heap, in MiB. A larger one would only hold more garbage. */
const SEARCH_YOUNG_HEAP = 8

const REFUSALS: Readonly<Record<AbortReason, string>> = {
  closed: 'The store is closed.',
  full: 'Too many queries are waiting.',
  stuck: 'Queries that timed out are still running.',
  overrun: 'The query took too long.',
  died: 'The reading thread died.',
}

/**
 * A connection that reads in a separate thread, one statement after the other, so that a slow one does not block the process.
 */
export class SqliteThread implements Connection {
  readonly #pool: ThreadPool<ThreadRequest, unknown>

  constructor(file: string, limits: ThreadLimits = {}) {
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

  /** @throws SERVICE_UNAVAILABLE if too many statements wait, this one takes too long, or the connection is closed */
  async all<Row>(statement: Statement<Row>, values: StatementValues = {}): Promise<readonly Row[]> {
    return (await this.#run(statement, values, 'all')) as readonly Row[]
  }

  /** @throws SERVICE_UNAVAILABLE, as {@link all} */
  async get<Row>(statement: Statement<Row>, values: StatementValues = {}): Promise<Row | undefined> {
    return (await this.#run(statement, values, 'get')) as Row | undefined
  }

  /** Always rejects: this connection only reads. */
  async run(): Promise<number> {
    throw new Error('The reading thread does not write.')
  }

  /** Rejects running and queued statements, and ends the thread. Resolves when it has closed the file. */
  async close(): Promise<void> {
    await this.#pool.close()
  }

  async #run(statement: Statement, values: StatementValues, method: ThreadRequest['method']): Promise<unknown> {
    try {
      return await this.#pool.run({ sql: statement.sql, parameters: statement.bind(values), method })
    } catch (error) {
      if (!(error instanceof TaskAborted)) throw translateSqliteError(error)
      throw new DaybookError('SERVICE_UNAVAILABLE', REFUSALS[error.reason], {}, error.cause)
    }
  }
}
