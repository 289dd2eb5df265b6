import { sql } from 'kysely'
import { PUBLISHED } from '../../fields/status.ts'
import type { Connection, StoreReadContext } from '../connection.ts'
import { STATE_ACTIONS } from '../journal-actions.ts'
import type { JournalRow } from '../rows.ts'
import { param, prepareSql, type Statement } from '../statement.ts'

/** A document in the journal: the key of its collection or `globals`, and its id or key. */
export interface JournalDocument {
  readonly collection: string
  readonly id: string
}

/** A change that made a version of its document. */
export interface VersionRecord extends JournalRow {
  /** 1 if the version was erased. */
  readonly erased: number
}

/** A version, with its text if the journal has it. */
export interface VersionRow extends VersionRecord {
  /** JSON with the values of the other locales under `@locales`; `null` if it is the current state, or was erased or pruned. */
  readonly text: string | null
}

/** A deleted entry: the record of its deletion, and its content just before. */
export interface DeletedRow extends JournalRow {
  /** The number of the version that holds the content. */
  readonly revision: number
  /** JSON, with the values of the other locales under `@locales`. */
  readonly text: string
  /** The actor of the first creation; `null` if the journal no longer has it. */
  readonly creator: string | null
}

/** A range of the journal, from a number (inclusive) to another (exclusive). */
export interface JournalRange {
  readonly from: number
  readonly before: number
}

/** A page of the versions of a document, newest first. */
export interface VersionPage extends JournalDocument {
  /** The number that all versions are below. */
  readonly before: number
  readonly limit: number
  /** The current revision of the document; 0 if there is none. */
  readonly currentRevision: number
  /** The revision of its draft; 0 if there is none. */
  readonly draftRevision: number
}

/** A page of the published versions of an entry. */
export interface PublishedPage extends Omit<VersionPage, 'draftRevision'> {
  readonly statusKey: string
}

export class HistoryReader {
  readonly #connection: Connection
  readonly #source: Pick<StoreReadContext, 'dialect' | 'statements'>

  constructor({ connection, ...source }: Pick<StoreReadContext, 'connection' | 'dialect' | 'statements'>) {
    this.#connection = connection
    this.#source = source
  }

  /** Returns versions with content, erased versions, and deletions. Versions whose content was pruned are left out. */
  versions(page: VersionPage): Promise<readonly VersionRecord[]> {
    return this.#connection.all(VERSIONS, { ...page })
  }

  publishedVersions({ statusKey, ...page }: PublishedPage): Promise<readonly VersionRecord[]> {
    const { dialect, statements } = this.#source
    const status = sql.raw(dialect.schema.documentValue(statusKey))
    const statement = statements.get(`published versions ${statusKey}`, () =>
      prepareSql(sql<VersionRecord>`SELECT journal.*, 0 AS erased ${WITH_PAYLOAD}
        WHERE ${OF_DOCUMENT} AND journal.seq < ${param('before')} AND journal.action <> 'draft'
          AND (${status} = ${sql.lit(PUBLISHED)} OR journal.seq = ${param('currentRevision')})
        ORDER BY journal.seq DESC LIMIT ${param('limit')}`),
    )
    return this.#connection.all(statement, { ...page })
  }

  /** Returns the version that a change made; `undefined` if it made none of this document. */
  version(document: JournalDocument, seq: number): Promise<VersionRow | undefined> {
    return this.#connection.get(VERSION, { ...document, seq })
  }

  /** Returns the changes of a document from a number on, in order. */
  changesFrom(document: JournalDocument, from: number): Promise<readonly JournalRow[]> {
    return this.#connection.all(CHANGES_FROM, { ...document, from })
  }

  /** Returns the last record before a number that decides if the document had a draft. */
  draftBefore(document: JournalDocument, before: number): Promise<JournalRow | undefined> {
    return this.#connection.get(COPY_BEFORE, { ...document, before })
  }

  /** Returns a deleted entry; `undefined` if it was not deleted, or its content was erased or pruned. */
  deletedEntry({ collection, id }: JournalDocument): Promise<DeletedRow | undefined> {
    const statement = this.#source.statements.get(`deleted ${collection}`, () =>
      prepareSql(sql<DeletedRow>`${selectDeleted(collection)} AND journal.id = ${param('id')}`),
    )
    return this.#connection.get(statement, { collection, id })
  }

  /** Returns the numbers of the last deletions in a collection before a number, newest first, including those of restored entries. */
  async deletions(collection: string, before: number, limit: number): Promise<readonly number[]> {
    const rows = await this.#connection.all(DELETIONS, { collection, before, limit })
    return rows.map(({ seq }) => seq)
  }

  /** Returns the entries of a collection that were deleted in a range, the last one first; see {@link deletedEntry}. */
  deletedEntries(collection: string, range: JournalRange): Promise<readonly DeletedRow[]> {
    const statement = this.#source.statements.get(`deleted in ${collection}`, () =>
      prepareSql(sql<DeletedRow>`${selectDeleted(collection)}
        AND journal.seq >= ${param('from')} AND journal.seq < ${param('before')} ORDER BY journal.seq DESC`),
    )
    return this.#connection.all(statement, { collection, ...range })
  }

  async isKnown({ collection, id }: JournalDocument): Promise<boolean> {
    return (await this.#connection.get(ANY_RECORD, { collection, id })) !== undefined
  }

  /** Counts the former versions of a document with content. */
  async countErasable({ collection, id }: JournalDocument): Promise<number> {
    return Number((await this.#connection.get(ERASABLE, { collection, id }))?.count)
  }

  /** Returns the record of a document's first creation up to a version; `undefined` if the journal no longer has it. */
  creation(document: JournalDocument, seq: number): Promise<JournalRow | undefined> {
    return this.#connection.get(CREATION, { ...document, seq })
  }
}

const VERSION_ACTIONS = sql.join([...STATE_ACTIONS, 'draft'].map((action) => sql.lit(action)))
const CONTENT_ACTIONS = sql.join(STATE_ACTIONS.filter((action) => action !== 'delete').map((action) => sql.lit(action)))
const ERASED = sql`CASE WHEN payload.seq IS NOT NULL AND payload.doc IS NULL THEN 1 ELSE 0 END`
const OF_DOCUMENT = sql`journal.collection = ${param('collection')} AND journal.id = ${param('id')}`
const WITH_PAYLOAD = sql`FROM daybook$journal AS journal
  LEFT JOIN daybook$journal_payload AS payload ON payload.seq = journal.seq`

const VERSIONS: Statement<VersionRecord> =
  prepareSql(sql<VersionRecord>`SELECT journal.*, ${ERASED} AS erased ${WITH_PAYLOAD}
  WHERE ${OF_DOCUMENT} AND journal.seq < ${param('before')} AND journal.action IN (${VERSION_ACTIONS})
    AND (payload.seq IS NOT NULL OR journal.action = 'delete' OR journal.seq IN (${param('currentRevision')}, ${param('draftRevision')}))
  ORDER BY journal.seq DESC LIMIT ${param('limit')}`)
const VERSION: Statement<VersionRow> =
  prepareSql(sql<VersionRow>`SELECT journal.*, ${ERASED} AS erased, payload.doc AS text
  ${WITH_PAYLOAD} WHERE ${OF_DOCUMENT} AND journal.seq = ${param('seq')} AND journal.action IN (${VERSION_ACTIONS})`)
const CREATION: Statement<JournalRow> = prepareSql(sql<JournalRow>`SELECT journal.* FROM daybook$journal AS journal
  WHERE ${OF_DOCUMENT} AND journal.seq <= ${param('seq')} AND journal.action = 'create' ORDER BY journal.seq LIMIT 1`)
const ANY_RECORD = prepareSql(sql`SELECT journal.seq FROM daybook$journal AS journal WHERE ${OF_DOCUMENT} LIMIT 1`)
const ERASABLE: Statement<{ readonly count: number }> = prepareSql(sql<{
  readonly count: number
}>`SELECT count(*) AS count
  FROM daybook$journal AS journal JOIN daybook$journal_payload AS payload ON payload.seq = journal.seq
  WHERE ${OF_DOCUMENT} AND payload.doc IS NOT NULL`)
const CHANGES_FROM: Statement<JournalRow> = prepareSql(sql<JournalRow>`SELECT journal.* FROM daybook$journal AS journal
  WHERE ${OF_DOCUMENT} AND journal.seq >= ${param('from')} ORDER BY journal.seq`)
const COPY_BEFORE: Statement<JournalRow> = prepareSql(sql<JournalRow>`SELECT journal.* FROM daybook$journal AS journal
  WHERE ${OF_DOCUMENT} AND journal.seq < ${param('before')} AND journal.action IN ('draft', 'discard', 'publish', 'delete')
  ORDER BY journal.seq DESC LIMIT 1`)

const DELETIONS: Statement<Pick<JournalRow, 'seq'>> = prepareSql(sql<Pick<JournalRow, 'seq'>>`SELECT journal.seq
  FROM daybook$journal AS journal WHERE journal.collection = ${param('collection')} AND journal.action = 'delete'
    AND journal.seq < ${param('before')} ORDER BY journal.seq DESC LIMIT ${param('limit')}`)

/** Selects the number of the last version before a deletion that has content and matches a condition. */
const lastContent = (condition: ReturnType<typeof sql>) => sql`(SELECT max(earlier.seq) FROM daybook$journal AS earlier
  JOIN daybook$journal_payload AS kept ON kept.seq = earlier.seq AND kept.doc IS NOT NULL
  WHERE earlier.collection = journal.collection AND earlier.id = journal.id AND earlier.seq < journal.seq AND ${condition})`

/**
 * Selects the last deletion of each entry that does not exist, joined with its content just before: its draft, or else the entry. A draft
 * that was discarded or published does not count.
 */
const selectDeleted = (collection: string) => sql`SELECT journal.*, content.seq AS revision, content.doc AS text,
    (SELECT creation.actor FROM daybook$journal AS creation WHERE creation.collection = journal.collection
      AND creation.id = journal.id AND creation.seq < journal.seq AND creation.action = 'create'
      ORDER BY creation.seq LIMIT 1) AS creator
  FROM daybook$journal AS journal
  JOIN daybook$journal_payload AS content ON content.seq = coalesce(
    ${lastContent(sql`earlier.action = 'draft' AND NOT EXISTS (SELECT 1 FROM daybook$journal AS later
      WHERE later.collection = earlier.collection AND later.id = earlier.id AND later.seq > earlier.seq
        AND later.seq < journal.seq AND later.action IN ('discard', 'publish', 'delete'))`)},
    ${lastContent(sql`earlier.action IN (${CONTENT_ACTIONS})`)})
  WHERE journal.collection = ${param('collection')} AND journal.action = 'delete'
    AND NOT EXISTS (SELECT 1 FROM ${sql.table(collection)} AS existing WHERE existing.id = journal.id)
    AND NOT EXISTS (SELECT 1 FROM daybook$journal AS later WHERE later.collection = journal.collection
      AND later.id = journal.id AND later.seq > journal.seq AND later.action = 'delete')`
