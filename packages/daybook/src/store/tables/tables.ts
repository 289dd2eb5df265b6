/** The type of a column; `long` is a text of any length, `identity` a number that the engine gives each new row. */
export type ColumnKind = 'text' | 'long' | 'integer' | 'bigint' | 'identity'

/** A column; one with `?` may be empty. */
export type Column = ColumnKind | `${ColumnKind}?`

/** A table, whatever the engine. */
export interface TableDefinition {
  readonly columns: Readonly<Record<string, Column>>
  /** The columns that tell rows apart, and give them their order. */
  readonly key: readonly string[]
  /** Columns that hold no value twice. */
  readonly unique?: readonly string[]
  /** The check constraint of each row, in SQL. */
  readonly check?: string
  /** The table whose key this table's own is one of. */
  readonly extends?: string
  /** By the end of their names. */
  readonly indexes?: Readonly<Record<string, IndexDefinition>>
}

/** An index of a table. */
export interface IndexDefinition {
  readonly columns: readonly string[]
  /** Which rows are in it, in SQL. @default all */
  readonly where?: string
}

/** The TypeScript type of a column's values. */
type ColumnValue<C extends Column> = C extends `${infer K extends ColumnKind}?`
  ? ColumnValue<K> | null
  : C extends 'text' | 'long'
    ? string
    : number

/** A row of a table. */
export type RowOf<T extends TableDefinition> = { readonly [C in keyof T['columns']]: ColumnValue<T['columns'][C]> }

/**
 * The member of the column `locales` that lists the only locales in which an entry is published. It comes first, and is there only for
 * entries that are published in some locales and not in others.
 */
export const PUBLISHED_LOCALES = '@published'

/** A collection's table. `doc` comes last, so that reading the others never walks through it. */
export const ENTRY_TABLE = {
  columns: {
    /** Order of arrival, and the number of the search row. */
    pk: 'identity',
    id: 'text',
    slug: 'text?',
    status: 'text?',
    created_at: 'text',
    updated_at: 'text',
    /** The subject of the actor that made the entry; empty where nobody is known. */
    created_by: 'text?',
    /** The subject of the actor of the last change. */
    updated_by: 'text?',
    /** The revision: `seq` of the last change. */
    seq: 'bigint',
    /** The schema hash of the document (see DocumentModel); one with another hash is brought up to date when read. */
    schema_hash: 'text',
    /** Values of fields that the config no longer has, as JSON; never served, dropped by `daybook migrate --allow-loss`. */
    orphaned: 'long?',
    /** The values of the locales other than the default one, as JSON, and {@link PUBLISHED_LOCALES}; see Canonical. */
    locales: 'long?',
    /** The working copy beside the document, as JSON; see `working-copy.ts`. */
    draft: 'long?',
    /** The texts of the document by path, with case and accents folded, as JSON. */
    folded: 'long?',
    /** The document as it is served, as JSON. */
    doc: 'long',
  },
  key: ['pk'],
  unique: ['id', 'slug'],
} as const

/** True if an entry is published in some locales and not in others. */
export const isPartlyPublished = ({ locales }: Pick<RowOf<typeof ENTRY_TABLE>, 'locales'>): boolean =>
  locales?.startsWith(`{"${PUBLISHED_LOCALES}":`) === true

/** The same as a condition of SQL. */
export const PARTLY_PUBLISHED_SQL: string = `locales LIKE '{"${PUBLISHED_LOCALES}":%'`

/** The table of a collection in one locale: what that locale shows of each entry. */
export const LOCALE_TABLE = {
  columns: {
    pk: 'identity',
    id: 'text',
    slug: 'text?',
    /** The slug that the locale has for itself. */
    own_slug: 'text?',
    status: 'text?',
    created_at: 'text',
    updated_at: 'text',
    created_by: 'text?',
    updated_by: 'text?',
    seq: 'bigint',
    schema_hash: 'text',
    orphaned: 'long?',
    draft: 'long?',
    folded: 'long?',
    doc: 'long',
  },
  key: ['pk'],
  unique: ['id', 'own_slug'],
} as const

/** Every table but the collections' own; each comes behind those that it refers to. */
export const SYSTEM_TABLES = {
  daybook$globals: {
    columns: {
      key: 'text',
      created_by: 'text?',
      updated_by: 'text?',
      seq: 'bigint',
      schema_hash: 'text',
      orphaned: 'long?',
      locales: 'long?',
      doc: 'long',
    },
    key: ['key'],
  },
  daybook$refs: {
    columns: {
      from_collection: 'text',
      from_id: 'text',
      field: 'text',
      position: 'integer',
      to_collection: 'text',
      to_id: 'text',
    },
    key: ['from_collection', 'from_id', 'field', 'position'],
    indexes: { to: { columns: ['to_collection', 'to_id', 'from_collection', 'field'] } },
  },
  /** Members of many-valued selects and of lists of scalars, as text. */
  daybook$choices: {
    columns: { from_collection: 'text', from_id: 'text', field: 'text', value: 'text' },
    key: ['from_collection', 'from_id', 'field', 'value'],
    indexes: { of: { columns: ['from_collection', 'field', 'value', 'from_id'] } },
  },
  /** How many entries hold each value of a counted field, by their status. */
  daybook$tallies: {
    columns: {
      collection: 'text',
      field: 'text',
      /** Empty where entries have none. */
      status: 'text',
      /** Empty where an entry holds nothing, else behind an equals sign. */
      value: 'text',
      count: 'bigint',
    },
    key: ['collection', 'field', 'status', 'value'],
  },
  daybook$journal: {
    columns: { seq: 'bigint', at: 'text', actor: 'text', action: 'text', collection: 'text', id: 'text' },
    key: ['seq'],
    indexes: {
      of: { columns: ['collection', 'id', 'seq'] },
      deletions: { columns: ['collection', 'seq'], where: "action = 'delete'" },
    },
  },
  /** States that went from their tables, by the number of the change that made them; without `doc` where it was erased. */
  daybook$journal_payload: {
    columns: { seq: 'bigint', doc: 'long?' },
    key: ['seq'],
    extends: 'daybook$journal',
  },
  /** Answers to writes that carried an `Idempotency-Key`. */
  daybook$idempotency: {
    columns: {
      /** The digest of the caller and the `Idempotency-Key`. */
      key: 'text',
      /** The digest of the caller's session and rights, and of the request. */
      request: 'text',
      at: 'text',
      status: 'integer',
      headers: 'long',
      body: 'long',
    },
    key: ['key'],
    indexes: { at: { columns: ['at'] } },
  },
  /** The records of auth adapters: accounts, sessions, tokens. */
  daybook$records: {
    columns: {
      kind: 'text',
      id: 'text',
      /** When it is worth nothing any more, in milliseconds since 1970. */
      until: 'bigint?',
      doc: 'long',
    },
    key: ['kind', 'id'],
    indexes: { until: { columns: ['until'], where: 'until IS NOT NULL' } },
  },
  /** The keys of records. */
  daybook$record_keys: {
    columns: { kind: 'text', field: 'text', value: 'text', id: 'text' },
    key: ['kind', 'field', 'value', 'id'],
    indexes: { of: { columns: ['kind', 'id'] } },
  },
  /** Where each collection stands in the journal. */
  daybook$collections: {
    columns: {
      key: 'text',
      seq: 'bigint',
      visible_seq: 'bigint',
      /** The last change of a working copy, or of a schedule; empty: there was none. */
      draft_seq: 'bigint?',
      /**
       * Entries by status, as JSON; collections without a status count under the empty text. Under `@published`: how many entries are
       * published in some locales only, and count under their status in the default locale besides.
       */
      counts: 'text',
    },
    key: ['key'],
  },
  /** The last number of the journal. */
  daybook$head: { columns: { only: 'integer', seq: 'bigint' }, key: ['only'], check: '"only" = 1' },
  /** What is to be published or unpublished at a time. */
  daybook$schedules: {
    columns: {
      collection: 'text',
      id: 'text',
      action: 'text',
      /** The change that asked for it. */
      seq: 'bigint',
      /** ISO 8601 in UTC. */
      at: 'text',
      /** The subject of the actor. */
      actor: 'text',
      /** The caller on whose behalf it is done, as JSON; empty: no rule decides about it. */
      caller: 'text?',
      /** The languages to publish, as JSON; empty: all. */
      locales: 'text?',
      /** When it is tried, in milliseconds since 1970, by the database's clock: later than `at` once it has failed. */
      due: 'bigint',
      /** How often it has failed. */
      failures: 'integer',
    },
    key: ['collection', 'id', 'action'],
    indexes: { due: { columns: ['due'] } },
  },
  /** Notes that the store keeps about itself. */
  daybook$meta: { columns: { key: 'text', value: 'text' }, key: ['key'] },
  /** Rights that one node at a time has. */
  daybook$leases: {
    columns: {
      name: 'text',
      holder: 'text',
      /** Rises with each new holder. */
      token: 'bigint',
      /** In milliseconds since 1970, by the database's clock. */
      until: 'bigint',
    },
    key: ['name'],
  },
  /** The migrations of the config's folder that began here. */
  daybook$migrations: {
    columns: {
      name: 'text',
      /** Digest of the file. */
      hash: 'text',
      started: 'text',
      /** The run that works on it; another one, which began later, ends it. */
      run: 'text',
      /** How far each of its loops has come, as JSON. */
      position: 'long',
      finished: 'text?',
    },
    key: ['name'],
  },
  /** Attempts to sign in and the like. */
  daybook$attempts: {
    columns: {
      key: 'text',
      count: 'integer',
      /** When they count no more, in milliseconds since 1970, by the database's clock. */
      until: 'bigint',
    },
    key: ['key'],
  },
} as const

/** A row of a collection's table. */
export type EntryTable = RowOf<typeof ENTRY_TABLE>

/** Rows of every table but the collections' own. */
export type SystemTables = { readonly [Name in keyof typeof SYSTEM_TABLES]: RowOf<(typeof SYSTEM_TABLES)[Name]> }

/** A column of a collection's table that a write sets. */
export type EntryColumn = Exclude<keyof EntryTable, 'pk'>

/** All of them. */
export const ENTRY_COLUMNS: readonly EntryColumn[] = (Object.keys(ENTRY_TABLE.columns) as (keyof EntryTable)[]).filter(
  (column) => column !== 'pk',
)

/** The columns that say who made and last changed a document. */
export const AUTHOR_COLUMNS = ['created_by', 'updated_by'] as const

/** What those columns hold. */
export type AuthorColumns = Pick<EntryTable, (typeof AUTHOR_COLUMNS)[number]>

/** All tables; a collection's key is the name of its table. */
export type Tables = SystemTables & { readonly entries: EntryTable }

/** The name of a table's search table. `$` cannot stand in a key, so nothing collides. */
export const searchTableName = (table: string): string => `${table}$search`

/** The name of the index on a value inside the documents; it ends with the id, and the status where there is one. */
export const valueIndexName = (table: string, path: string): string => indexName(table, `by$${path}`)

/** The name of a declared index on several values; it ends as one on a single value does. */
export const compoundIndexName = (table: string, { name }: { readonly name: string }): string =>
  valueIndexName(table, name)

/** The name of the index that keeps the values of a field unique; of a localized field, those of one locale. */
export const uniqueIndexName = (table: string, path: string, locale?: string): string =>
  indexName(table, locale === undefined ? `unique$${path}` : `unique$${locale}$${path}`)

/** The field whose values an index of {@link uniqueIndexName} keeps unique; `undefined`: it is another index. */
export function parseUniqueIndexName(name: string): { readonly field: string; readonly locale?: string } | undefined {
  const [, locale, field] = /\$unique\$(?:([^$]+)\$)?([^$]+)$/.exec(name) ?? []
  if (field === undefined) return undefined
  return locale === undefined ? { field } : { field, locale }
}

/** The name of an index of a table. */
export const indexName = (table: string, name: string): string => `${table}$${name}`

/** The name of the view onto the words of a search table; it holds nothing itself. */
export const wordsTableName = (table: string): string => `${table}$words`

/** Whether a table is that of a collection in a locale. */
export const isLocaleTable = (table: string): boolean => /^[^$]+\$[a-z]{2,3}(?:-[a-z0-9]+)*$/i.test(table)

/** The actor that the journal names where nobody is known. */
export const ANONYMOUS_ACTOR = 'anonymous'

/** The collection whose changes are those of globals. */
export const GLOBALS = 'globals'
