import { StartupError } from '../../errors.ts'
import type { Snapshot } from '../database.ts'
import type { Dialect } from '../dialect.ts'
import { createPrivateFile } from './data-folder.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { SQLITE } from './sqlite-dialect.ts'
import { openDatabaseFile } from './sqlite-file.ts'

/** The number of pages that a backup copies before it reports progress: 4 MiB. */
const PAGES_AT_ONCE = 1024

/** A database file as it stood when the snapshot was opened. */
export class SqliteSnapshot extends SqliteConnection implements Snapshot {
  readonly dialect: Dialect = SQLITE

  get pages(): number {
    return Number(this.native.pragma('page_count', { simple: true }))
  }

  /**
   * Copies the database into a single new file, and checks the copy. The transaction of the snapshot keeps writers from restarting the
   * copy.
   *
   * @param onPages called with the number of pages copied so far
   * @throws {StartupError} if the copy is damaged
   */
  async copyTo(file: string, onPages: (done: number) => void): Promise<void> {
    createPrivateFile(file)
    await this.native.backup(file, {
      progress: ({ totalPages, remainingPages }) => {
        onPages(totalPages - remainingPages)
        return PAGES_AT_ONCE
      },
    })
    const copy = openDatabaseFile(file)
    try {
      copy.pragma('journal_mode = DELETE')
      const fault = copy.pragma('integrity_check', { simple: true })
      if (fault !== 'ok') throw new StartupError(`The copy of the database is damaged: ${String(fault)}`)
    } finally {
      copy.close()
    }
  }

  async close(): Promise<void> {
    this.native.close()
  }
}

/**
 * Opens a snapshot of a database file, while others may write to it.
 *
 * @throws {StartupError} if it is no database
 */
export function snapshotSqlite(file: string): SqliteSnapshot {
  const native = openDatabaseFile(file)
  native.exec('PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; BEGIN')
  // The first read fixes the state that the transaction sees.
  native.prepare('SELECT count(*) FROM sqlite_schema').get()
  return new SqliteSnapshot(native)
}
