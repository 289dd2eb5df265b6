import type { Dialect } from './dialect.ts'
import type { Statement, StatementCache, StatementValues } from './statement.ts'

/** Runs statements on one connection. */
export interface Connection {
  all<Row>(statement: Statement<Row>, values?: StatementValues): Promise<readonly Row[]>
  get<Row>(statement: Statement<Row>, values?: StatementValues): Promise<Row | undefined>
  /** Answers how many rows changed. */
  run(statement: Statement, values?: StatementValues): Promise<number>
}

/** A statement of a write. Calling it sends the statement. */
export type WriteStep = () => Promise<unknown>

/** A connection that takes several writes at a time. */
export interface PipelinedConnection extends Connection {
  /**
   * Runs writes that need nothing of each other's answers, in this order: one after the other, or sent all at once where
   * each answer would have to come a long way.
   */
  pipeline(steps: readonly WriteStep[]): Promise<void>
}

/** The parts of a store that its readers share. */
export interface StoreReadContext {
  readonly dialect: Dialect
  readonly connection: Connection
  /** Runs statements that may take long: searches, counts, filters that look into other tables. */
  readonly background: Connection
  readonly statements: StatementCache
}
