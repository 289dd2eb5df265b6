import type { Dialect } from './dialect.ts'
import type { Statement, StatementCache, StatementValues } from './statement.ts'

export interface Connection {
  all<Row>(statement: Statement<Row>, values?: StatementValues): Promise<readonly Row[]>
  get<Row>(statement: Statement<Row>, values?: StatementValues): Promise<Row | undefined>
  /** Returns the number of changed rows. */
  run(statement: Statement, values?: StatementValues): Promise<number>
}

/** A step of a write. Calling it sends the statement. */
export type WriteStep = () => Promise<unknown>

/** A connection that accepts several writes at a time. */
export interface PipelinedConnection extends Connection {
  /**
   * Runs writes that do not depend on each other's results, in this order. A remote database gets all of them at once.
   */
  pipeline(steps: readonly WriteStep[]): Promise<void>
}

/** The parts of a store that its readers share. */
export interface StoreReadContext {
  readonly dialect: Dialect
  readonly connection: Connection
  /** Runs statements that may take long: searches, counts and filters on other tables. */
  readonly background: Connection
  readonly statements: StatementCache
}
