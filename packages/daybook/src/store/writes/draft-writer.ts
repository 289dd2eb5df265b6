import { sql } from 'kysely'
import type { CollectionModel } from '../../model/model.ts'
import type { StoreWriteContext } from '../database.ts'
import { type Draft, parseDraft, type StoredEntry } from '../rows.ts'
import { param, prepareSql } from '../statement.ts'
import { draftCounterChange } from './counters.ts'
import { encodeState, type JournalChange, JournalWriter } from './journal-writer.ts'

/** The time, the actor and the history of a change of a draft. */
interface DraftChange extends Pick<JournalChange, 'at' | 'actor'> {
  /** True if the former draft stays in history. @default true */
  readonly keepsFormer?: boolean
}

export class DraftWriter {
  readonly #source: StoreWriteContext
  readonly #journal: JournalWriter

  constructor(source: StoreWriteContext) {
    this.#source = source
    this.#journal = new JournalWriter(source.connection)
  }

  /**
   * Stores or discards the draft of an entry. Nothing of the entry itself changes.
   *
   * @param draft `undefined` to discard the stored one
   */
  async write(
    collection: CollectionModel,
    before: StoredEntry,
    draft: Omit<Draft, 'seq'> | undefined,
    { at, actor, keepsFormer = true }: DraftChange,
  ): Promise<number> {
    const { connection, statements } = this.#source
    const { key } = collection
    const { id, pk } = before
    const seq = await connection.batch.nextSeq(id, at)
    const former = keepsFormer ? parseDraft(before) : undefined
    const put = statements.get(`draft ${key}`, () =>
      prepareSql(sql`UPDATE ${sql.table(key)} SET draft = ${param('draft')} WHERE pk = ${param('pk')}`),
    )
    await connection.pipeline([
      ...this.#journal.steps(
        { seq, at, actor, action: draft ? 'draft' : 'discard', collection: key, id },
        former ? [{ seq: former.seq, doc: encodeState(former) }] : [],
      ),
      () => connection.run(put, { draft: draft ? JSON.stringify({ seq, ...draft }) : null, pk }),
    ])
    connection.batch.addCounters(draftCounterChange(key, seq))
    return seq
  }
}
