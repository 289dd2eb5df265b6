import type { EngineName } from '../databases/databases.ts'
import { openPostgresLean } from './lean-postgres.ts'
import { openSqliteLean } from './lean-sqlite.ts'
import type { Maybe } from './maybe.ts'

/** A published post of the seeded store. */
export interface LeanRow {
  /** Its place in the list, from 1 on. */
  readonly position: number
  readonly slug: string
  /** As it is answered. */
  readonly doc: string
  /** The same, with its author in it. */
  readonly joined: string
}

/** The tables that hold documents in the order of the list. */
export type LeanTable = 'posts' | 'joined'

/** A page that is answered: text around the total and the documents, and where these begin and end. */
export interface LeanPage {
  readonly table: LeanTable
  readonly first: number
  readonly last: number
  /** The text before the total, between total and documents, and after them. */
  readonly parts: readonly [string, string, string]
}

/** Tables of the floor's own, in the leanest form that could answer. */
export interface LeanStore extends AsyncDisposable {
  fill(rows: readonly LeanRow[]): Maybe<unknown>
  /** Once all rows are there: stores how many there are, and what the engine would do in the background. */
  settle(): Maybe<unknown>
  entry(slug: string): Maybe<string | undefined>
  page(page: LeanPage): Maybe<string>
  /** Stores a row; it is on the disk when this is done. */
  insert(id: string, doc: string): Maybe<unknown>
}

/** Opens the tables of a database, which are made if there are none. */
export function openLean(engine: EngineName, address: string): Promise<LeanStore> | LeanStore {
  return engine === 'postgres' ? openPostgresLean(address) : openSqliteLean(address)
}
