import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { StartupError } from '../../errors.ts'
import { databaseFile } from '../../service.ts'
import type { Database, Snapshot } from '../../store/database.ts'
import { openPostgres } from '../../store/postgres/postgres.ts'
import { snapshotPostgres } from '../../store/postgres/postgres-snapshot.ts'
import { shownUrl } from '../../store/postgres/postgres-start.ts'
import { openSqlite } from '../../store/sqlite/sqlite.ts'
import { snapshotSqlite } from '../../store/sqlite/sqlite-snapshot.ts'

/** Where a store is, as a command line names it. */
export interface StoreAddress {
  /** Without a password. */
  readonly shown: string
  /** The same for two names of one store, as far as names tell. */
  readonly identity: string
  /** Opens it to write; what is not there is made. */
  open(): Promise<Database>
  /** Opens it to read. */
  snapshot(): Promise<Snapshot>
}

/**
 * Reads `sqlite:PATH`, where PATH is a data folder or a database file, or `postgres://…`.
 *
 * @param option that it was given to, for errors
 * @throws {StartupError} when it is neither
 */
export function readAddress(text: string, option: string): StoreAddress {
  if (/^sqlite:./.test(text)) return sqliteAddress(text.slice('sqlite:'.length), option)
  // What was given is not repeated: it may hold a password.
  if (/^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text)) return postgresAddress(text, option)
  throw new StartupError(
    `${option} names no store. Write sqlite:FOLDER or postgres://user:password@host:5432/database.`,
  )
}

function sqliteAddress(path: string, option: string): StoreAddress {
  const given = statSync(path, { throwIfNoEntry: false })
  const isFile = given ? given.isFile() : path.endsWith('.db')
  const file = isFile ? resolve(path) : databaseFile(path)
  const there = statSync(file, { throwIfNoEntry: false })
  return {
    shown: `sqlite:${file}`,
    identity: there ? `${there.dev} ${there.ino}` : file,
    open: async () => openSqlite(file),
    snapshot: async () => {
      if (!existsSync(file)) throw new StartupError(`There is no database ${file}. Is ${option} right?`)
      return snapshotSqlite(file)
    },
  }
}

function postgresAddress(url: string, option: string): StoreAddress {
  const { hostname, port, pathname, searchParams } = new URL(url)
  return {
    shown: shownAs(option, url),
    identity: JSON.stringify([hostname.toLowerCase(), port || '5432', pathname, searchParams.get('options')]),
    // Nothing is kept in a session, so that a pooler may stand in between, and no statement is hurried.
    open: () => named(option, openPostgres(url, { pooler: 'transaction', statementMs: 0, connections: 2 })),
    snapshot: () => named(option, snapshotPostgres(url)),
  }
}

/** Errors speak of the variable that a service reads; here it is an option. */
async function named<T>(option: string, opening: Promise<T>): Promise<T> {
  return opening.catch((error) => Promise.reject(renamed(option, error)))
}

const renamed = (option: string, error: unknown): unknown =>
  error instanceof StartupError ? new StartupError(error.message.replaceAll('DATABASE_URL', option)) : error

function shownAs(option: string, url: string): string {
  try {
    return shownUrl(url)
  } catch (error) {
    throw renamed(option, error)
  }
}
