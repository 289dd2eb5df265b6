/** The type of a column; `long` is a text of any length, `identity` a number that the engine generates. */
export type ColumnKind = 'text' | 'long' | 'integer' | 'bigint' | 'identity'

/** A column; `?` marks one that can be NULL. */
export type Column = ColumnKind | `${ColumnKind}?`

export interface TableDefinition {
  readonly columns: Readonly<Record<string, Column>>
  /** The columns of the primary key. */
  readonly key: readonly string[]
  readonly unique?: readonly string[]
  /** A check constraint, in SQL. */
  readonly check?: string
  /** The table that the key refers to. */
  readonly extends?: string
  /** Indexes by the ends of their names. */
  readonly indexes?: Readonly<Record<string, IndexDefinition>>
}

export interface IndexDefinition {
  readonly columns: readonly string[]
  /** The condition of a partial index, in SQL. @default all rows */
  readonly where?: string
}

type ColumnValue<C extends Column> = C extends `${infer K extends ColumnKind}?`
  ? ColumnValue<K> | null
  : C extends 'text' | 'long'
    ? string
    : number

export type RowOf<T extends TableDefinition> = { readonly [C in keyof T['columns']]: ColumnValue<T['columns'][C]> }

/**
 * The member of the column `locales` that lists the locales in which an entry is published. It comes first, and is present only if the
 * entry is published in some locales and not in others.
 */
export const PUBLISHED_LOCALES = '@published'

/** A collection's table. `doc` comes last, so that reading the other columns does not read through it. */
export const ENTRY_TABLE = {
  columns: {
    /** The order of creation, and the key of the search row. */
    pk: 'identity',
    id: 'text',
    slug: 'text?',
    status: 'text?',
    created_at: 'text',
    updated_at: 'text',
    /** The subject of the author; NULL if unknown. */
    created_by: 'text?',
    /** The subject of the author of the last change. */
    updated_by: 'text?',
    /** The revision: `seq` of the last change. */
    seq: 'bigint',
    /** The schema hash of the document (see DocumentModel); one with another hash is brought up to date when read. */
    schema_hash: 'text',
    /** The values of removed fields, as JSON; never served, and dropped by `daybook migrate --allow-loss`. */
    orphaned: 'long?',
    /** The values of the locales other than the default one, as JSON, and {@link PUBLISHED_LOCALES}; see Canonical. */
    locales: 'long?',
    /** The draft, as JSON; see `Draft`. */
    draft: 'long?',
    /** The derived fields, as JSON. */
    folded: 'long?',
    /** The document as served, as JSON. */
    doc: 'long',
  },
  key: ['pk'],
  unique: ['id', 'slug'],
} as const

/** True if an entry is published in some locales and not in others. */
export const isPartlyPublished = ({ locales }: Pick<RowOf<typeof ENTRY_TABLE>, 'locales'>): boolean =>
  locales?.startsWith(`{"${PUBLISHED_LOCALES}":`) === true

/** The text in stored JSON with which the address of a link to a document begins. */
export const LINK_MARK = '"daybook:'

/** True if a stored document may have links to others in its HTML. */
export const hasLinks = ({ doc, locales }: { readonly doc: string; readonly locales?: string | null }): boolean =>
  doc.includes(LINK_MARK) || locales?.includes(LINK_MARK) === true

/** {@link hasLinks} as an SQL condition. */
export const HAS_LINKS_SQL: string = `(doc LIKE '%${LINK_MARK}%' OR locales LIKE '%${LINK_MARK}%')`

const LINK_SUFFIX = '#'

/** Returns the field of a stored reference that is a link in the HTML of a field. */
export const toLinkField = (field: string): string => `${field}${LINK_SUFFIX}`

/** Returns the field that contains a stored reference. */
export const getReferringField = (stored: string): string =>
  stored.endsWith(LINK_SUFFIX) ? stored.slice(0, -LINK_SUFFIX.length) : stored

/** Matches the fields of links in `daybook$refs`, as an SQL condition. */
export const IS_LINK_SQL: string = `field LIKE '%${LINK_SUFFIX}'`

/** The counter of the entries of a collection that {@link hasLinks}. */
export const LINKED = '@linked'

/** {@link isPartlyPublished} as an SQL condition. */
export const PARTLY_PUBLISHED_SQL: string = `locales LIKE '{"${PUBLISHED_LOCALES}":%'`

/** The table of a collection in one locale: each entry as the locale shows it. */
export const LOCALE_TABLE = {
  columns: {
    pk: 'identity',
    id: 'text',
    slug: 'text?',
    /** The slug in this locale, without fallback. */
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

/** All tables except those of collections, each after the tables that it refers to. */
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
  /** The members of multi-valued selects and lists of scalars, as text. */
  daybook$choices: {
    columns: { from_collection: 'text', from_id: 'text', field: 'text', value: 'text' },
    key: ['from_collection', 'from_id', 'field', 'value'],
    indexes: { of: { columns: ['from_collection', 'field', 'value', 'from_id'] } },
  },
  /** Counters of the entries with each value of a counted field, by status. */
  daybook$tallies: {
    columns: {
      collection: 'text',
      field: 'text',
      /** Empty if the collection has no status. */
      status: 'text',
      /** The value after an equals sign; empty for a missing value. */
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
  /** Former states and drafts, by the number of the change that made them; `doc` is NULL if it was erased. */
  daybook$journal_payload: {
    columns: { seq: 'bigint', doc: 'long?' },
    key: ['seq'],
    extends: 'daybook$journal',
  },
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
      /** The expiry, in milliseconds since 1970. */
      until: 'bigint?',
      doc: 'long',
    },
    key: ['kind', 'id'],
    indexes: { until: { columns: ['until'], where: 'until IS NOT NULL' } },
  },
  /** The keys by which records are found. */
  daybook$record_keys: {
    columns: { kind: 'text', field: 'text', value: 'text', id: 'text' },
    key: ['kind', 'field', 'value', 'id'],
    indexes: { of: { columns: ['kind', 'id'] } },
  },
  /** The last changes and the counters of each collection. */
  daybook$collections: {
    columns: {
      key: 'text',
      seq: 'bigint',
      visible_seq: 'bigint',
      /** The last change of a draft or a schedule; NULL if there was none. */
      draft_seq: 'bigint?',
      /**
       * The numbers of entries by status, as JSON; under the empty text for collections without a status. `@published` is the number of
       * entries that are published in some locales only, which also count under their status in the default locale.
       */
      counts: 'text',
    },
    key: ['key'],
  },
  /** The last number of the journal. */
  daybook$head: { columns: { only: 'integer', seq: 'bigint' }, key: ['only'], check: '"only" = 1' },
  daybook$schedules: {
    columns: {
      collection: 'text',
      id: 'text',
      action: 'text',
      /** The change that created the schedule. */
      seq: 'bigint',
      /** ISO 8601 in UTC. */
      at: 'text',
      /** The subject of the actor. */
      actor: 'text',
      /** The caller on whose behalf it runs, as JSON; NULL if no rule applies. */
      caller: 'text?',
      /** The locales to publish, as JSON; NULL for all. */
      locales: 'text?',
      /** The time of the next attempt, in milliseconds since 1970, by the database's clock; later than `at` after a failure. */
      due: 'bigint',
      /** The number of failed attempts. */
      failures: 'integer',
    },
    key: ['collection', 'id', 'action'],
    indexes: { due: { columns: ['due'] } },
  },
  /** Notes that the store keeps about itself. */
  daybook$meta: { columns: { key: 'text', value: 'text' }, key: ['key'] },
  /** Leases, each held by at most one node. */
  daybook$leases: {
    columns: {
      name: 'text',
      holder: 'text',
      /** Rises with each new holder. */
      token: 'bigint',
      /** The expiry, in milliseconds since 1970, by the database's clock. */
      until: 'bigint',
    },
    key: ['name'],
  },
  /** The project's own migrations that have begun on this store. */
  daybook$migrations: {
    columns: {
      name: 'text',
      /** The digest of the file. */
      hash: 'text',
      started: 'text',
      /** The run that executes it; a later run ends it. */
      run: 'text',
      /** The progress of each of its loops, as JSON. */
      position: 'long',
      finished: 'text?',
    },
    key: ['name'],
  },
  /** Counted attempts, such as sign-ins, for rate limits. */
  daybook$attempts: {
    columns: {
      key: 'text',
      count: 'integer',
      /** The end of the period, in milliseconds since 1970, by the database's clock. */
      until: 'bigint',
    },
    key: ['key'],
  },
} as const

export type EntryTable = RowOf<typeof ENTRY_TABLE>

/** The rows of all tables except those of collections. */
export type SystemTables = { readonly [Name in keyof typeof SYSTEM_TABLES]: RowOf<(typeof SYSTEM_TABLES)[Name]> }

/** A column of a collection's table that writes set. */
export type EntryColumn = Exclude<keyof EntryTable, 'pk'>

/** The columns of a collection's table that writes set. */
export const ENTRY_COLUMNS: readonly EntryColumn[] = (Object.keys(ENTRY_TABLE.columns) as (keyof EntryTable)[]).filter(
  (column) => column !== 'pk',
)

/** The columns with the authors of a document and of its last change. */
export const AUTHOR_COLUMNS = ['created_by', 'updated_by'] as const

/** The values of {@link AUTHOR_COLUMNS}. */
export type AuthorColumns = Pick<EntryTable, (typeof AUTHOR_COLUMNS)[number]>

/** All tables; a collection's key is the name of its table. */
export type Tables = SystemTables & { readonly entries: EntryTable }

/** Returns the name of a table's search table. `$` cannot occur in a key, so names cannot collide. */
export const searchTableName = (table: string): string => `${table}$search`

/** Returns the name of the index on a value; the index ends with the id, and with the status if there is one. */
export const valueIndexName = (table: string, path: string): string => indexName(table, `by$${path}`)

/** Returns the name of a compound index; it ends like the index on a single value. */
export const compoundIndexName = (table: string, { name }: { readonly name: string }): string =>
  valueIndexName(table, name)

/** Returns the name of the unique index of a field, or of a localized field in one locale. */
export const uniqueIndexName = (table: string, path: string, locale?: string): string =>
  indexName(table, locale === undefined ? `unique$${path}` : `unique$${locale}$${path}`)

/** Returns the field of a unique index by its name; `undefined` for other indexes. */
export function parseUniqueIndexName(name: string): { readonly field: string; readonly locale?: string } | undefined {
  const [, locale, field] = /\$unique\$(?:([^$]+)\$)?([^$]+)$/.exec(name) ?? []
  if (field === undefined) return undefined
  return locale === undefined ? { field } : { field, locale }
}

export const indexName = (table: string, name: string): string => `${table}$${name}`

/** Returns the name of the virtual table with the words of a search table. */
export const wordsTableName = (table: string): string => `${table}$words`

export const isLocaleTable = (table: string): boolean => /^[^$]+\$[a-z]{2,3}(?:-[a-z0-9]+)*$/i.test(table)

/** The actor of journal records without a known author. */
export const ANONYMOUS_ACTOR = 'anonymous'

/** The collection key of globals in the journal. */
export const GLOBALS = 'globals'
