import { sql } from 'kysely'
import { PUBLISHED } from '../../fields/status.ts'
import { param, prepareSql, type Statement } from '../compile.ts'
import type { Connection } from '../connection.ts'
import { STATE_ACTIONS } from '../journal-actions.ts'
import type { ReadSource } from './read-source.ts'
import type { JournalRow } from './rows.ts'

/** A document in the journal: the key of its collection or `globals`, and its id or key. */
export interface JournalDocument {
  readonly collection: string
  readonly id: string
}

/** A change that made a version of its document. */
export interface VersionRecord extends JournalRow {
  /** 1: what it made was erased. */
  readonly erased: number
}

/** A version, with its text where the journal has it. */
export interface VersionRow extends VersionRecord {
  /** JSON, with what the other locales say under `@locales`; `null`: it lies in its table, or was erased or pruned. */
  readonly text: string | null
}

/** Which versions of a document are asked for, newest first. */
export interface VersionPage extends JournalDocument {
  /** The number that all of them lie below. */
  readonly before: number
  readonly limit: number
  /** The revision that the document's table has; 0: none. */
  readonly present: number
  /** The number of its present working copy; 0: there is none. */
  readonly copy: number
}

/** Which versions of an entry are asked for by a reader who sees what was published. */
export interface PublishedPage extends Omit<VersionPage, 'copy'> {
  /** The field that holds the status. */
  readonly statusKey: string
}

/** Reads what documents once were. */
export class HistoryReader {
  readonly #connection: Connection
  readonly #source: Pick<ReadSource, 'dialect' | 'statements'>

  constructor({ connection, ...source }: Pick<ReadSource, 'connection' | 'dialect' | 'statements'>) {
    this.#connection = connection
    this.#source = source
  }

  /** Versions that are there, and those that were erased. One whose content was dropped since is left out; deletions stay. */
  versions(page: VersionPage): Promise<readonly VersionRecord[]> {
    return this.#connection.all(VERSIONS, { ...page })
  }

  /** The versions among these that were published. */
  publishedVersions({ statusKey, ...page }: PublishedPage): Promise<readonly VersionRecord[]> {
    const { dialect, statements } = this.#source
    const status = sql.raw(dialect.schema.shown(statusKey))
    const statement = statements.get(`published versions ${statusKey}`, () =>
      prepareSql(sql<VersionRecord>`SELECT journal.*, 0 AS erased ${WITH_PAYLOAD}
        WHERE ${OF_DOCUMENT} AND journal.seq < ${param('before')} AND journal.action <> 'draft'
          AND (${status} = ${sql.lit(PUBLISHED)} OR journal.seq = ${param('present')})
        ORDER BY journal.seq DESC LIMIT ${param('limit')}`),
    )
    return this.#connection.all(statement, { ...page })
  }

  /** The version that one change has made; `undefined`: that change made none of this document. */
  version(document: JournalDocument, seq: number): Promise<VersionRow | undefined> {
    return this.#connection.get(VERSION, { ...document, seq })
  }

  /** The changes of a document from a number on, in order. */
  changesFrom(document: JournalDocument, from: number): Promise<readonly JournalRow[]> {
    return this.#connection.all(CHANGES_FROM, { ...document, from })
  }

  /** The last record before a number that says whether the document had a working copy. */
  copyBefore(document: JournalDocument, before: number): Promise<JournalRow | undefined> {
    return this.#connection.get(COPY_BEFORE, { ...document, before })
  }

  /** Whether the journal has a record of a document. */
  async isKnown({ collection, id }: JournalDocument): Promise<boolean> {
    return (await this.#connection.get(ANY_RECORD, { collection, id })) !== undefined
  }

  /** How many former versions of a document have content. */
  async countErasable({ collection, id }: JournalDocument): Promise<number> {
    return Number((await this.#connection.get(ERASABLE, { collection, id }))?.count)
  }

  /** The record of the creation that a version goes back to; `undefined`: the journal has it no more. */
  creation(document: JournalDocument, seq: number): Promise<JournalRow | undefined> {
    return this.#connection.get(CREATION, { ...document, seq })
  }
}

const VERSION_ACTIONS = sql.join([...STATE_ACTIONS, 'draft'].map((action) => sql.lit(action)))
const ERASED = sql`CASE WHEN payload.seq IS NOT NULL AND payload.doc IS NULL THEN 1 ELSE 0 END`
const OF_DOCUMENT = sql`journal.collection = ${param('collection')} AND journal.id = ${param('id')}`
const WITH_PAYLOAD = sql`FROM daybook$journal AS journal
  LEFT JOIN daybook$journal_payload AS payload ON payload.seq = journal.seq`

const VERSIONS: Statement<VersionRecord> =
  prepareSql(sql<VersionRecord>`SELECT journal.*, ${ERASED} AS erased ${WITH_PAYLOAD}
  WHERE ${OF_DOCUMENT} AND journal.seq < ${param('before')} AND journal.action IN (${VERSION_ACTIONS})
    AND (payload.seq IS NOT NULL OR journal.action = 'delete' OR journal.seq IN (${param('present')}, ${param('copy')}))
  ORDER BY journal.seq DESC LIMIT ${param('limit')}`)
const VERSION: Statement<VersionRow> =
  prepareSql(sql<VersionRow>`SELECT journal.*, ${ERASED} AS erased, payload.doc AS text
  ${WITH_PAYLOAD} WHERE ${OF_DOCUMENT} AND journal.seq = ${param('seq')} AND journal.action IN (${VERSION_ACTIONS})`)
const CREATION: Statement<JournalRow> = prepareSql(sql<JournalRow>`SELECT journal.* FROM daybook$journal AS journal
  WHERE ${OF_DOCUMENT} AND journal.seq <= ${param('seq')} AND journal.action = 'create' ORDER BY journal.seq DESC LIMIT 1`)
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
