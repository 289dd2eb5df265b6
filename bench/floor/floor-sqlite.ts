import SqliteDatabase from 'better-sqlite3'
import type { FloorPlan } from '../load/plan.ts'
import type { FloorStore } from './floor-store.ts'

/** The settings that Daybook's own connections have. */
function openFile(file: string): SqliteDatabase {
  const database = new SqliteDatabase(file, { timeout: 5000 })
  database.pragma('journal_mode = WAL')
  database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF')
  database.exec('PRAGMA cache_size = -128000; PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 67108864')
  return database
}

/** Two files in this process, without anything that waits. */
export function openSqliteFloor({ address, writeAddress }: FloorPlan): FloorStore {
  const reader = openFile(address)
  reader.pragma('query_only = ON')
  const writer = openFile(writeAddress)
  writer.exec(
    'CREATE TABLE IF NOT EXISTS entries (pk INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, doc TEXT NOT NULL) STRICT',
  )
  const insert = writer.prepare('INSERT INTO entries (id, doc) VALUES (?, ?)')
  return { prepare: ({ sql }) => reader.prepare(sql), insert: (id, doc) => insert.run(id, doc) }
}
