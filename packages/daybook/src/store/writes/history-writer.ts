import { type RawBuilder, sql } from 'kysely'
import type { Connection } from '../connection.ts'
import { SIDE_ACTIONS, STATE_ACTIONS } from '../journal-actions.ts'
import { JOURNAL_FLOOR_NOTE, RETENTION_NOTE, readNote, writeNote } from '../notes.ts'
import type { JournalDocument } from '../reads/history-reader.ts'
import type { JournalRow } from '../rows.ts'
import { param, prepareSql, type Statement } from '../statement.ts'

/** Versions of a kind: those of the document, or its working copies. */
export type VersionKind = 'state' | 'draft'

/** Takes away what the journal has of documents, inside one transaction. What tables have is never touched. */
export class HistoryWriter {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * Drops the records of a document that one of its changes has left without use, and what they made.
   *
   * @param record the change; what the document is by it stays
   * @returns how many records there were
   */
  async dropReplaced({ collection, id, seq, action }: JournalRow): Promise<number> {
    const { payloads, records } = REPLACED[replacing(action)]
    await this.#connection.run(payloads, { collection, id, seq })
    return this.#connection.run(records, { collection, id, seq })
  }

  /**
   * Drops the content of former versions of a document, the oldest ones.
   *
   * @param before the number that all of them lie below
   * @param kept how many of these stay
   * @returns the highest number of those that were dropped; `undefined`: there were none
   */
  async dropVersions(
    document: JournalDocument,
    kind: VersionKind,
    { before, kept }: { readonly before: number; readonly kept: number },
  ): Promise<number | undefined> {
    const { collection, id } = document
    const found = await this.#connection.all(FORMER[kind], { collection, id, before, kept })
    for (const { seq } of found) await this.#connection.run(DROP_PAYLOAD, { seq })
    return found[0]?.seq
  }

  /** The number of the next change of what a document is; `undefined`: there was none since. */
  async nextState({ collection, id }: JournalDocument, seq: number): Promise<number | undefined> {
    return (await this.#connection.get(NEXT_STATE, { collection, id, seq }))?.seq
  }

  /** Notes that the journal does not tell all of what lay before a number. */
  async raiseFloor(seq: number): Promise<void> {
    const floor = Number((await readNote(this.#connection, JOURNAL_FLOOR_NOTE)) ?? 0)
    if (seq > floor) await writeNote(this.#connection, JOURNAL_FLOOR_NOTE, String(seq))
  }

  /** How far the retention of history has come, as it noted itself. */
  retention(): Promise<string | undefined> {
    return readNote(this.#connection, RETENTION_NOTE)
  }

  async noteRetention(text: string): Promise<void> {
    await writeNote(this.#connection, RETENTION_NOTE, text)
  }

  /**
   * Erases the content of all former versions of a document, and stored replies to writes that hold its id. The journal's order
   * stays.
   *
   * @returns how many versions had content
   */
  async erase({ collection, id }: JournalDocument): Promise<number> {
    await this.#connection.run(DROP_REPLIES, { pattern: `%${id}%` })
    return this.#connection.run(ERASE, { collection, id })
  }
}

const listed = (actions: readonly string[]): RawBuilder<unknown> => sql.join(actions.map((action) => sql.lit(action)))

const DRAFT_ACTIONS: readonly string[] = ['draft', 'discard']
const OTHER_ACTIONS: readonly string[] = SIDE_ACTIONS.filter((action) => !DRAFT_ACTIONS.includes(action))

/** What of the past is of no use once something has happened: what a document is takes the place of what it was. */
const REPLACED_ACTIONS = {
  delete: [...STATE_ACTIONS, ...SIDE_ACTIONS],
  state: [...STATE_ACTIONS, ...OTHER_ACTIONS],
  draft: [...DRAFT_ACTIONS, ...OTHER_ACTIONS],
  other: OTHER_ACTIONS,
} as const

type Replacing = keyof typeof REPLACED_ACTIONS

function replacing(action: string): Replacing {
  if (action === 'delete') return 'delete'
  if (DRAFT_ACTIONS.includes(action)) return 'draft'
  return OTHER_ACTIONS.includes(action) ? 'other' : 'state'
}

const OF_DOCUMENT = sql`collection = ${param('collection')} AND id = ${param('id')}`

function replaced(actions: readonly string[]): { readonly payloads: Statement; readonly records: Statement } {
  const where = sql`${OF_DOCUMENT} AND seq < ${param('seq')} AND action IN (${listed(actions)})`
  return {
    payloads: prepareSql(
      sql`DELETE FROM daybook$journal_payload WHERE seq IN (SELECT seq FROM daybook$journal WHERE ${where})`,
    ),
    records: prepareSql(sql`DELETE FROM daybook$journal WHERE ${where}`),
  }
}

const REPLACED = {
  delete: replaced(REPLACED_ACTIONS.delete),
  state: replaced(REPLACED_ACTIONS.state),
  draft: replaced(REPLACED_ACTIONS.draft),
  other: replaced(REPLACED_ACTIONS.other),
}

type Numbered = Pick<JournalRow, 'seq'>

const DROP_PAYLOAD = prepareSql(sql`DELETE FROM daybook$journal_payload WHERE seq = ${param('seq')}`)

/** A pass looks at each change, so that a document has one version too many at most; the limit is for those of before. */
function former(actions: readonly string[]): Statement<Numbered> {
  return prepareSql(sql<Numbered>`SELECT payload.seq FROM daybook$journal AS journal
    JOIN daybook$journal_payload AS payload ON payload.seq = journal.seq
    WHERE ${OF_DOCUMENT} AND journal.seq < ${param('before')} AND action IN (${listed(actions)})
    ORDER BY journal.seq DESC LIMIT 100 OFFSET ${param('kept')}`)
}

const FORMER: Readonly<Record<VersionKind, Statement<Numbered>>> = {
  state: former(STATE_ACTIONS),
  draft: former(['draft']),
}

const NEXT_STATE = prepareSql(sql<Numbered>`SELECT seq FROM daybook$journal
  WHERE ${OF_DOCUMENT} AND seq > ${param('seq')} AND action IN (${listed(STATE_ACTIONS)}) ORDER BY seq LIMIT 1`)
const ERASE = prepareSql(sql`UPDATE daybook$journal_payload SET doc = NULL
  WHERE doc IS NOT NULL AND seq IN (SELECT seq FROM daybook$journal WHERE ${OF_DOCUMENT})`)
const DROP_REPLIES = prepareSql(sql`DELETE FROM daybook$idempotency WHERE body LIKE ${param('pattern')}`)
