/** A row of a collection's table. `doc` comes last, so that reading the others never walks through it. */
export interface EntryTable {
  /** Order of arrival, and the number of the search row. */
  readonly pk: number
  readonly id: string
  readonly slug: string | null
  readonly status: string | null
  readonly created_at: string
  readonly updated_at: string
  /** The revision: `seq` of the last change. */
  readonly seq: number
  /** The shape of the document (see DocumentModel); another one is brought up to date when read. */
  readonly shape: string
  /** Values of fields that the config no longer has, as JSON; never served, dropped by `daybook migrate --allow-loss`. */
  readonly kept: string | null
  /** What other locales than the default one say, as JSON; see Canonical. */
  readonly locales: string | null
  /** The working copy beside the published document, as JSON. */
  readonly draft: string | null
  /** The document as it is served, as JSON. */
  readonly doc: string
}

/** A column of a collection's table that a write sets. */
export type EntryColumn = Exclude<keyof EntryTable, 'pk' | 'draft'>

/** All of them. */
export const ENTRY_COLUMNS: readonly EntryColumn[] = [
  'id',
  'slug',
  'status',
  'created_at',
  'updated_at',
  'seq',
  'shape',
  'kept',
  'locales',
  'doc',
]

/** Every table but the collections' own. */
export interface SystemTables {
  readonly daybook$meta: { readonly key: string; readonly value: string }
  readonly daybook$head: { readonly only: number; readonly seq: number }
  readonly daybook$collections: {
    readonly key: string
    readonly seq: number
    readonly visible_seq: number
    /** Entries by status, as JSON; collections without a status count under the empty text. */
    readonly counts: string
  }
  readonly daybook$globals: {
    readonly key: string
    readonly seq: number
    readonly shape: string
    readonly kept: string | null
    readonly locales: string | null
    readonly doc: string
  }
  readonly daybook$refs: {
    readonly from_collection: string
    readonly from_id: string
    readonly field: string
    readonly position: number
    readonly to_collection: string
    readonly to_id: string
  }
  readonly daybook$choices: {
    readonly from_collection: string
    readonly from_id: string
    readonly field: string
    readonly value: string
  }
  /** Answers to writes that carried an `Idempotency-Key`. */
  readonly daybook$idempotency: {
    readonly key: string
    /** Digest of who asked what. */
    readonly request: string
    readonly at: string
    readonly status: number
    readonly headers: string
    readonly body: string
  }
  /** Rights that one node at a time has. */
  readonly daybook$leases: {
    readonly name: string
    readonly holder: string
    /** Rises with each new holder. */
    readonly token: number
    /** In milliseconds since 1970, by the database's clock. */
    readonly until: number
  }
  /** Attempts to sign in and the like. */
  readonly daybook$attempts: {
    readonly key: string
    readonly count: number
    /** When they count no more, in milliseconds since 1970, by the database's clock. */
    readonly until: number
  }
  /** What auth adapters keep: accounts, sessions, tokens. */
  readonly daybook$records: {
    readonly kind: string
    readonly id: string
    /** When it is worth nothing any more, in milliseconds since 1970. */
    readonly until: number | null
    readonly doc: string
  }
  /** What records are found by. */
  readonly daybook$record_keys: {
    readonly kind: string
    readonly field: string
    readonly value: string
    readonly id: string
  }
  readonly daybook$journal: {
    readonly seq: number
    readonly at: string
    readonly actor: string
    readonly action: string
    readonly collection: string
    readonly id: string
  }
  readonly daybook$journal_payload: { readonly seq: number; readonly doc: string | null }
}

/** All tables; a collection's key is the name of its table. */
export type Tables = SystemTables & { readonly entries: EntryTable }

/** The name of a table's search table. `$` cannot stand in a key, so nothing collides. */
export const searchTable = (table: string): string => `${table}$search`

/** The name of the index on a value inside the documents; it ends with the id, and the status where there is one. */
export const valueIndex = (table: string, path: string): string => indexName(table, `by$${path}`)

/** The name of an index of a table. */
export const indexName = (table: string, name: string): string => `${table}$${name}`

/** The name of the view onto the words of a search table; it holds nothing itself. */
export const wordsTable = (table: string): string => `${table}$words`

/** Whether a table is that of a collection in a locale. */
export const isLocaleTable = (table: string): boolean => /^[^$]+\$[a-z]{2,3}(?:-[a-z0-9]+)*$/i.test(table)
