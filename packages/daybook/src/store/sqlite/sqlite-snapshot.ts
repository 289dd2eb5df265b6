import type { Snapshot } from '../database.ts'
import type { Dialect } from '../dialect.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { SQLITE } from './sqlite-dialect.ts'
import { openDatabaseFile } from './sqlite-file.ts'

class SqliteSnapshot extends SqliteConnection implements Snapshot {
  readonly dialect: Dialect = SQLITE

  async close(): Promise<void> {
    this.native.close()
  }
}

/**
 * Sees a database file as it stands now, while others may write to it.
 *
 * @throws {StartupError} when it is no database
 */
export function snapshotSqlite(file: string): Snapshot {
  const native = openDatabaseFile(file)
  native.exec('PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; BEGIN')
  // The moment is that of the first look.
  native.prepare('SELECT count(*) FROM sqlite_schema').get()
  return new SqliteSnapshot(native)
}
