import type { Reference } from '../fields/field.ts'
import type { CollectionModel } from '../model/model.ts'
import type { FieldMember } from './tables/document-values.ts'
import type { AuthorColumns, EntryColumn, EntryTable, SystemTables } from './tables/tables.ts'

/** The columns that serving an entry needs, with the authors if the caller can see them. */
export type EntryRow = Pick<EntryTable, 'id' | 'seq' | 'status' | 'schema_hash' | 'orphaned' | 'doc'> &
  Partial<AuthorColumns>
/** All columns of an entry, for changing it. */
export type StoredEntry = Pick<EntryTable, 'pk' | EntryColumn>
/** An entry with the values of its sort keys. */
export type SortedRow = EntryRow & Readonly<Record<`s${number}`, string | number | null>>

export type GlobalRow = SystemTables['daybook$globals']

/** The stored response to a write with an `Idempotency-Key`. */
export type IdempotencyRecord = SystemTables['daybook$idempotency']

export type JournalRow = SystemTables['daybook$journal']

/** An entry to be stored, before it has a revision. */
export interface WrittenEntry
  extends AuthorColumns,
    Pick<
      EntryTable,
      | 'id'
      | 'slug'
      | 'status'
      | 'created_at'
      | 'updated_at'
      | 'schema_hash'
      | 'orphaned'
      | 'locales'
      | 'draft'
      | 'folded'
      | 'doc'
    > {
  /** The entry as locales show it. */
  readonly localeRows: readonly LocaleRow[]
  /** The parsed document of `doc`. */
  readonly value: Readonly<Record<string, unknown>>
  readonly references: readonly FieldReference[]
  /** The members of multi-valued selects and lists of scalars. */
  readonly choices: readonly FieldMember[]
}

/** An entry as one locale shows it. */
export interface LocaleRow {
  readonly collection: CollectionModel
  readonly slug: string | null
  /** The slug in this locale, without fallback. */
  readonly own_slug: string | null
  readonly status: string | null
  /** The derived fields, as JSON. */
  readonly folded: string | null
  readonly value: Readonly<Record<string, unknown>>
  readonly doc: string
}

export interface FieldReference extends Reference {
  readonly field: string
}

/** The draft of an entry, as the column `draft` holds it. */
export interface Draft extends Pick<EntryTable, 'seq' | 'schema_hash' | 'orphaned' | 'locales' | 'doc'> {
  /** The time of the last save; ISO 8601. */
  readonly at: string
  /** The subject of the author of the last save. */
  readonly by: string | null
  /** True if the next autosave of the same author replaces it in history. */
  readonly isAutosave: boolean
}

export const parseDraft = ({ draft }: Pick<EntryTable, 'draft'>): Draft | undefined =>
  draft === null ? undefined : (JSON.parse(draft) as Draft)
