import pLimit from 'p-limit'
import type { Database, Snapshot, WriteConnection } from '../database.ts'
import type { Dialect } from '../dialect.ts'
import { createSystemTables } from '../tables/table-ddl.ts'
import { SqliteWriter } from './sqlite.ts'
import { SQLITE } from './sqlite-dialect.ts'
import { openInMemory } from './sqlite-file.ts'

/** A database in memory, for accounts that need not survive a restart. Reads see the uncommitted writes of a transaction. */
export class MemoryDatabase implements Database {
  readonly dialect: Dialect = SQLITE
  readonly reader: SqliteWriter = new SqliteWriter(openInMemory())
  readonly background: SqliteWriter = this.reader
  readonly #turn = pLimit(1)

  constructor() {
    for (const text of createSystemTables(SQLITE.schema)) this.reader.native.exec(text)
  }

  get statementCount(): number {
    return this.reader.statementCount
  }

  transaction<T>(work: (writer: WriteConnection) => Promise<T>): Promise<T> {
    return this.#turn(async () => {
      const writer = this.reader
      writer.control('BEGIN')
      writer.beginBatch()
      try {
        const result = await work(writer)
        await writer.batch.flush()
        writer.control('COMMIT')
        return result
      } catch (error) {
        if (writer.native.inTransaction) writer.control('ROLLBACK')
        throw error
      }
    })
  }

  alter<T>(work: (writer: WriteConnection) => Promise<T>): Promise<T> {
    return this.transaction(work)
  }

  /** The journal of a database in memory never grows. */
  onGrowth(): () => void {
    return () => {}
  }

  async snapshot(): Promise<Snapshot> {
    throw new Error('A database in memory has no snapshots.')
  }

  async close(): Promise<void> {
    this.reader.native.close()
  }
}
