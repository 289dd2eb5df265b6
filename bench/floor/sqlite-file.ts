import SqliteDatabase from 'better-sqlite3'

/** Opens a file with the settings that Daybook's own connections have. */
export function openFile(file: string): SqliteDatabase {
  const database = new SqliteDatabase(file, { timeout: 5000 })
  database.pragma('journal_mode = WAL')
  database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF')
  database.exec('PRAGMA cache_size = -128000; PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 67108864')
  return database
}
