import { type RawBuilder, sql } from 'kysely'
import type { Connection } from '../connection.ts'
import { SIDE_ACTIONS, STATE_ACTIONS } from '../journal-actions.ts'
import { JOURNAL_FLOOR_NOTE, RETENTION_NOTE, readNote, writeNote } from '../notes.ts'
import type { JournalDocument } from '../reads/history-reader.ts'
import type { JournalRow } from '../rows.ts'
import { param, prepareSql, type Statement } from '../statement.ts'

/** The kind of a version: a state of the document, or a draft. */
export type VersionKind = 'state' | 'draft'

/** Prunes and erases history, inside one transaction. Current rows never change. */
export class HistoryWriter {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * Deletes the records of a document that a change has made obsolete, with their states.
   *
   * @param record the change, which stays
   * @returns the number of deleted records
   */
  async dropReplaced({ collection, id, seq, action }: JournalRow): Promise<number> {
    const { payloads, records } = REPLACED[getReplacing(action)]
    await this.#connection.run(payloads, { collection, id, seq })
    return this.#connection.run(records, { collection, id, seq })
  }

  /**
   * Deletes the content of the oldest versions of a document.
   *
   * @param before the number below which versions are considered
   * @param keep the number of these versions to keep
   * @returns the highest number of a deleted version; `undefined` if there was none
   */
  async dropVersions(
    document: JournalDocument,
    kind: VersionKind,
    { before, keep }: { readonly before: number; readonly keep: number },
  ): Promise<number | undefined> {
    const { collection, id } = document
    const rows = await this.#connection.all(FORMER[kind], { collection, id, before, keep })
    for (const { seq } of rows) await this.#connection.run(DROP_PAYLOAD, { seq })
    return rows[0]?.seq
  }

  /** Returns the number of the next change of the document after `seq`; `undefined` if there is none. */
  async nextState({ collection, id }: JournalDocument, seq: number): Promise<number | undefined> {
    return (await this.#connection.get(NEXT_STATE, { collection, id, seq }))?.seq
  }

  /** Notes that the journal is incomplete before a number. */
  async raiseFloor(seq: number): Promise<void> {
    const floor = Number((await readNote(this.#connection, JOURNAL_FLOOR_NOTE)) ?? 0)
    if (seq > floor) await writeNote(this.#connection, JOURNAL_FLOOR_NOTE, String(seq))
  }

  retention(): Promise<string | undefined> {
    return readNote(this.#connection, RETENTION_NOTE)
  }

  async noteRetention(text: string): Promise<void> {
    await writeNote(this.#connection, RETENTION_NOTE, text)
  }

  /**
   * Erases the content of all former versions of a document, and idempotency records that contain its id. The records of the journal
   * stay.
   *
   * @returns the number of versions with content
   */
  async erase({ collection, id }: JournalDocument): Promise<number> {
    await this.#connection.run(DROP_IDEMPOTENCY_RECORDS, { pattern: `%${id}%` })
    return this.#connection.run(ERASE, { collection, id })
  }
}

const toLiterals = (actions: readonly string[]): RawBuilder<unknown> =>
  sql.join(actions.map((action) => sql.lit(action)))

const DRAFT_ACTIONS: readonly string[] = ['draft', 'discard']
const OTHER_ACTIONS: readonly string[] = SIDE_ACTIONS.filter((action) => !DRAFT_ACTIONS.includes(action))

/** The actions whose earlier records a later change makes obsolete, by the kind of that change. */
const REPLACED_ACTIONS = {
  delete: [...STATE_ACTIONS, ...SIDE_ACTIONS],
  state: [...STATE_ACTIONS, ...OTHER_ACTIONS],
  draft: [...DRAFT_ACTIONS, ...OTHER_ACTIONS],
  other: OTHER_ACTIONS,
} as const

type Replacing = keyof typeof REPLACED_ACTIONS

function getReplacing(action: string): Replacing {
  if (action === 'delete') return 'delete'
  if (DRAFT_ACTIONS.includes(action)) return 'draft'
  return OTHER_ACTIONS.includes(action) ? 'other' : 'state'
}

const OF_DOCUMENT = sql`collection = ${param('collection')} AND id = ${param('id')}`

function deleteReplaced(actions: readonly string[]): { readonly payloads: Statement; readonly records: Statement } {
  const where = sql`${OF_DOCUMENT} AND seq < ${param('seq')} AND action IN (${toLiterals(actions)})`
  return {
    payloads: prepareSql(
      sql`DELETE FROM daybook$journal_payload WHERE seq IN (SELECT seq FROM daybook$journal WHERE ${where})`,
    ),
    records: prepareSql(sql`DELETE FROM daybook$journal WHERE ${where}`),
  }
}

const REPLACED = {
  delete: deleteReplaced(REPLACED_ACTIONS.delete),
  state: deleteReplaced(REPLACED_ACTIONS.state),
  draft: deleteReplaced(REPLACED_ACTIONS.draft),
  other: deleteReplaced(REPLACED_ACTIONS.other),
}

type SeqRow = Pick<JournalRow, 'seq'>

const DROP_PAYLOAD = prepareSql(sql`DELETE FROM daybook$journal_payload WHERE seq = ${param('seq')}`)

/** Selects versions beyond those to keep. A pass follows each change, so there is usually one; the limit bounds the first pass. */
function former(actions: readonly string[]): Statement<SeqRow> {
  return prepareSql(sql<SeqRow>`SELECT payload.seq FROM daybook$journal AS journal
    JOIN daybook$journal_payload AS payload ON payload.seq = journal.seq
    WHERE ${OF_DOCUMENT} AND journal.seq < ${param('before')} AND action IN (${toLiterals(actions)})
    ORDER BY journal.seq DESC LIMIT 100 OFFSET ${param('keep')}`)
}

const FORMER: Readonly<Record<VersionKind, Statement<SeqRow>>> = {
  state: former(STATE_ACTIONS),
  draft: former(['draft']),
}

const NEXT_STATE = prepareSql(sql<SeqRow>`SELECT seq FROM daybook$journal
  WHERE ${OF_DOCUMENT} AND seq > ${param('seq')} AND action IN (${toLiterals(STATE_ACTIONS)}) ORDER BY seq LIMIT 1`)
const ERASE = prepareSql(sql`UPDATE daybook$journal_payload SET doc = NULL
  WHERE doc IS NOT NULL AND seq IN (SELECT seq FROM daybook$journal WHERE ${OF_DOCUMENT})`)
const DROP_IDEMPOTENCY_RECORDS = prepareSql(sql`DELETE FROM daybook$idempotency WHERE body LIKE ${param('pattern')}`)
