import type { Connection, WriteStep } from '../connection.ts'
import type { Database, Snapshot, WriteConnection } from '../database.ts'
import type { Dialect } from '../dialect.ts'
import type { Statement, StatementValues } from '../statement.ts'
import type { CommitBatch } from './commit-batch.ts'

/**
 * A transaction lent to a hook: a database whose transactions are parts of that one. It ends before the transaction does. Later calls
 * throw and change nothing.
 */
export class HookTransaction implements Database {
  readonly dialect: Dialect
  readonly reader: Connection
  readonly background: Connection
  readonly statementCount = 0
  readonly #connection: HookConnection
  #writing = 0
  #failure: unknown

  constructor(dialect: Dialect, connection: WriteConnection) {
    this.dialect = dialect
    this.#connection = new HookConnection(connection)
    this.reader = new FlushedConnection(this.#connection)
    this.background = this.reader
  }

  /** A write that fails half-way cannot be undone alone, so it fails the whole transaction. */
  async transaction<T>(work: (writer: WriteConnection) => Promise<T>): Promise<T> {
    const { lastRecord } = this.#connection.batch
    this.#writing += 1
    try {
      return await work(this.#connection)
    } catch (error) {
      if (!this.#connection.isEnded && this.#connection.batch.lastRecord !== lastRecord) this.#failure ??= error
      throw error
    } finally {
      this.#writing -= 1
    }
  }

  /**
   * Ends the use of the transaction, once no statement is running.
   *
   * @throws the error of a write that failed half-way, even if the hook caught it; an error if a write is still running
   */
  async end(): Promise<void> {
    const isWriting = this.#writing > 0
    await this.#connection.end()
    if (this.#failure !== undefined) throw this.#failure
    if (isWriting) throw new Error('It ended before its writes did. Await each call of event.content.')
  }

  alter(): Promise<never> {
    return Promise.reject(unsupported())
  }

  onGrowth(): () => void {
    throw unsupported()
  }

  snapshot(): Promise<Snapshot> {
    return Promise.reject(unsupported())
  }

  async close(): Promise<void> {}
}

const unsupported = (): Error => new Error('A transaction can only read and write content.')

/** A connection that can be used until the hook ends. */
class HookConnection implements WriteConnection {
  readonly #connection: WriteConnection
  readonly #running = new Set<Promise<unknown>>()
  isEnded = false

  constructor(connection: WriteConnection) {
    this.#connection = connection
  }

  get batch(): CommitBatch {
    return this.#open.batch
  }

  async all<Row>(statement: Statement<Row>, values?: StatementValues): Promise<readonly Row[]> {
    return this.#track(this.#open.all(statement, values))
  }

  async get<Row>(statement: Statement<Row>, values?: StatementValues): Promise<Row | undefined> {
    return this.#track(this.#open.get(statement, values))
  }

  async run(statement: Statement, values?: StatementValues): Promise<number> {
    return this.#track(this.#open.run(statement, values))
  }

  async insert(statement: Statement<{ readonly pk: number }>, values: StatementValues): Promise<number> {
    return this.#track(this.#open.insert(statement, values))
  }

  async pipeline(steps: readonly WriteStep[]): Promise<void> {
    return this.#track(this.#open.pipeline(steps))
  }

  async flush(): Promise<void> {
    await this.#track(this.#open.batch.flush())
  }

  async end(): Promise<void> {
    this.isEnded = true
    await Promise.allSettled(this.#running)
  }

  get #open(): WriteConnection {
    if (this.isEnded)
      throw new Error('The hook that this handle was made for is over. Use event.content while the hook runs.')
    return this.#connection
  }

  async #track<T>(statement: Promise<T>): Promise<T> {
    this.#running.add(statement)
    try {
      return await statement
    } finally {
      this.#running.delete(statement)
    }
  }
}

/** Reads all writes of the transaction, including counters and search rows that are deferred to the commit. */
class FlushedConnection implements Connection {
  readonly #connection: HookConnection

  constructor(connection: HookConnection) {
    this.#connection = connection
  }

  async all<Row>(statement: Statement<Row>, values?: StatementValues): Promise<readonly Row[]> {
    await this.#connection.flush()
    return this.#connection.all(statement, values)
  }

  async get<Row>(statement: Statement<Row>, values?: StatementValues): Promise<Row | undefined> {
    await this.#connection.flush()
    return this.#connection.get(statement, values)
  }

  async run(statement: Statement, values?: StatementValues): Promise<number> {
    return this.#connection.run(statement, values)
  }
}
