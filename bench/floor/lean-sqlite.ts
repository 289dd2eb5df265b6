import type { LeanPage, LeanStore, LeanTable } from './lean-store.ts'
import { openFile } from './sqlite-file.ts'

const TABLES = `
  CREATE TABLE IF NOT EXISTS posts (position INTEGER PRIMARY KEY, slug TEXT NOT NULL UNIQUE, doc TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS joined (position INTEGER PRIMARY KEY, doc TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS totals (published INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS entries (pk INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, doc TEXT NOT NULL) STRICT`

/** SQLite puts the answer together, so that one text passes to JavaScript. */
const pageOf = (table: LeanTable): string => `
  SELECT ? || (SELECT published FROM totals) || ? || group_concat(doc, ',') || ? AS doc
  FROM (SELECT doc FROM ${table} WHERE position BETWEEN ? AND ? ORDER BY position)`

interface Row {
  readonly doc: string
}

/** A file in this process, without anything that waits. */
export function openSqliteLean(file: string): LeanStore {
  const database = openFile(file)
  database.exec(TABLES)
  const addPost = database.prepare('INSERT INTO posts VALUES (?, ?, ?)')
  const addJoined = database.prepare('INSERT INTO joined VALUES (?, ?)')
  const insert = database.prepare('INSERT INTO entries (id, doc) VALUES (?, ?)')
  const entry = database.prepare('SELECT doc FROM posts WHERE slug = ?')
  const pages = {
    posts: database.prepare(pageOf('posts')),
    joined: database.prepare(pageOf('joined')),
  }
  return {
    fill: (rows) => {
      database.exec('BEGIN')
      for (const { position, slug, doc, joined } of rows) {
        addPost.run(position, slug, doc)
        addJoined.run(position, joined)
      }
      database.exec('COMMIT')
    },
    settle: () => {
      database.exec('INSERT INTO totals SELECT count(*) FROM posts')
      database.pragma('wal_checkpoint(TRUNCATE)')
    },
    entry: (slug) => (entry.get(slug) as Row | undefined)?.doc,
    page: ({ table, first, last, parts }: LeanPage) => (pages[table].get(...parts, first, last) as Row).doc,
    insert: (id, doc) => insert.run(id, doc),
    [Symbol.asyncDispose]: async () => void database.close(),
  }
}
