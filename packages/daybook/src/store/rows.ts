import type { Reference } from '../fields/field.ts'
import type { CollectionModel } from '../model/model.ts'
import type { FieldMember } from './tables/document-values.ts'
import type { AuthorColumns, EntryColumn, EntryTable, SystemTables } from './tables/tables.ts'

/** The columns that serving an entry needs; those about people for readers who may know them. */
export type EntryRow = Pick<EntryTable, 'id' | 'seq' | 'status' | 'schema_hash' | 'orphaned' | 'doc'> &
  Partial<AuthorColumns>
/** The columns that changing an entry needs. */
export type StoredEntry = Pick<EntryTable, 'pk' | EntryColumn>
/** An entry with the values of its sort keys. */
export type SortedRow = EntryRow & Readonly<Record<`s${number}`, string | number | null>>

/** The columns of a global. */
export type GlobalRow = SystemTables['daybook$globals']

/** The response to a write, stored for a request that is sent again. */
export type IdempotencyRecord = SystemTables['daybook$idempotency']

/** A record of the journal. */
export type JournalRow = SystemTables['daybook$journal']

/** An entry as it is to be stored, before it has its revision. */
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
  /** The document of `doc`, parsed. */
  readonly value: Readonly<Record<string, unknown>>
  readonly references: readonly FieldReference[]
  /** Members of many-valued selects and lists of scalars. */
  readonly choices: readonly FieldMember[]
}

/** An entry as one locale shows it. */
export interface LocaleRow {
  /** The collection in that locale. */
  readonly collection: CollectionModel
  readonly slug: string | null
  /** The slug that the locale has for itself. */
  readonly own_slug: string | null
  readonly status: string | null
  /** Its texts, folded, as JSON. */
  readonly folded: string | null
  readonly value: Readonly<Record<string, unknown>>
  readonly doc: string
}

/** A reference as it is to be stored. */
export interface FieldReference extends Reference {
  readonly field: string
}

/** The working copy of an entry, as the column `draft` holds it: a document beside the one that everybody reads. */
export interface Draft extends Pick<EntryTable, 'seq' | 'schema_hash' | 'orphaned' | 'locales' | 'doc'> {
  /** When it was saved; ISO 8601. */
  readonly at: string
  /** The subject of the actor that saved it. */
  readonly by: string | null
  /** Whether the next autosave of the same actor takes its place in history. */
  readonly isAutosave: boolean
}

/** The working copy of a row; `undefined`: it has none. */
export const parseDraft = ({ draft }: Pick<EntryTable, 'draft'>): Draft | undefined =>
  draft === null ? undefined : (JSON.parse(draft) as Draft)
