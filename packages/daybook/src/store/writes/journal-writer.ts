import { sql } from 'kysely'
import type { WriteStep } from '../connection.ts'
import type { WriteConnection } from '../database.ts'
import type { JournalAction } from '../journal-actions.ts'
import { parseDraft, type StoredEntry, type WrittenEntry } from '../rows.ts'
import { insertRow, prepareInsert, prepareSql } from '../statement.ts'
import { type EntryTable, GLOBALS } from '../tables/tables.ts'
import { draftCounterChange } from './counters.ts'

/** A journal record before it has its number. */
export interface JournalChange {
  /** ISO 8601. */
  readonly at: string
  readonly actor: string
  readonly action: JournalAction
  /** A collection's key, or `globals`. */
  readonly collection: string
  /** An entry's id, or a global's key. */
  readonly id: string
}

/** A former state of a document, with the number of the change that made it. */
export interface FormerState {
  readonly seq: number
  readonly doc: string
}

export class JournalWriter {
  readonly #connection: WriteConnection

  constructor(connection: WriteConnection) {
    this.#connection = connection
  }

  /** Appends a record of an event that changes no document, such as a schedule. */
  async append(change: JournalChange): Promise<number> {
    const { id, at, collection } = change
    const seq = await this.#connection.batch.nextSeq(id, at)
    await this.#connection.run(APPEND, { ...change, seq })
    if (collection !== GLOBALS) this.#connection.batch.addCounters(draftCounterChange(collection, seq))
    return seq
  }

  /** Returns the statements that append a record and store the states that its change replaces. */
  steps(record: JournalChange & { readonly seq: number }, replaced: readonly FormerState[] = []): readonly WriteStep[] {
    return [
      () => this.#connection.run(APPEND, { ...record }),
      ...replaced.map((state) => () => this.#connection.run(SAVE_STATE, { ...state })),
    ]
  }
}

/** Returns the states that a change of an entry replaces: the document, and the draft if it changes. */
export function getReplacedStates(
  before: StoredEntry,
  after: Pick<WrittenEntry, 'draft'> | undefined,
): readonly FormerState[] {
  const draft = before.draft === after?.draft ? undefined : parseDraft(before)
  return [before, ...(draft ? [draft] : [])].map((state) => ({ seq: state.seq, doc: encodeState(state) }))
}

/** Encodes the state of a document, with all locales and its orphaned values, as the journal stores it. `@` cannot occur in a key. */
export function encodeState({ doc, locales, orphaned }: Pick<EntryTable, 'doc' | 'locales' | 'orphaned'>): string {
  const parts = Object.entries({ locales, orphaned }).flatMap(([key, text]) =>
    text === null ? [] : `,"@${key}":${text}`,
  )
  return parts.length === 0 ? doc : `${doc.slice(0, -1)}${parts.join('')}}`
}

const APPEND = prepareInsert('daybook$journal')
const SAVE_STATE = prepareSql(sql`${insertRow('daybook$journal_payload', ['seq', 'doc'])} ON CONFLICT DO NOTHING`)
