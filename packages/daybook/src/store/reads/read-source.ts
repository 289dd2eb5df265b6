import type { Connection } from '../connection.ts'
import type { Dialect } from '../dialect.ts'
import type { StatementCache } from './statement-cache.ts'

/** Where a reader reads, and in which words. */
export interface ReadSource {
  readonly dialect: Dialect
  readonly connection: Connection
  /** Answers what may take long: searches, counts, filters that look into other tables. */
  readonly background: Connection
  readonly statements: StatementCache
}
