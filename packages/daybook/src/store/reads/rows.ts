import type { Reference } from '../../fields/field.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { FieldMember } from '../tables/members.ts'
import type { EntryColumn, EntryTable, PeopleColumns, SystemTables } from '../tables/tables.ts'

/** The columns that serving an entry needs; those about people for readers who may know them. */
export type EntryRow = Pick<EntryTable, 'id' | 'seq' | 'status' | 'schema_hash' | 'orphaned' | 'doc'> &
  Partial<PeopleColumns>
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
  extends PeopleColumns,
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
