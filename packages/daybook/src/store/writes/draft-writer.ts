import { sql } from 'kysely'
import type { CollectionModel } from '../../model/model.ts'
import { param, prepareSql } from '../compile.ts'
import type { WriteSource } from '../database.ts'
import type { StoredEntry } from '../reads/rows.ts'
import { type WorkingCopy, workingCopyOf } from '../working-copy.ts'
import { draftCounterChange } from './counters.ts'
import { type Change, JournalWriter, wholeOf } from './journal-writer.ts'

/** The time, the actor and the history of a change of a draft. */
interface DraftChange extends Pick<Change, 'at' | 'actor'> {
  /** True if the former draft stays in history. @default true */
  readonly keepsFormer?: boolean
}

/** Writes drafts, inside one transaction. */
export class DraftWriter {
  readonly #source: WriteSource
  readonly #journal: JournalWriter

  constructor(source: WriteSource) {
    this.#source = source
    this.#journal = new JournalWriter(source.connection)
  }

  /**
   * Stores or discards the draft of an entry. Nothing of the entry itself changes.
   *
   * @param draft `undefined` discards the stored one
   */
  async write(
    collection: CollectionModel,
    before: StoredEntry,
    draft: Omit<WorkingCopy, 'seq'> | undefined,
    { at, actor, keepsFormer = true }: DraftChange,
  ): Promise<number> {
    const { connection, statements } = this.#source
    const { key } = collection
    const { id, pk } = before
    const seq = await connection.batch.next(id, at)
    const former = keepsFormer ? workingCopyOf(before) : undefined
    const put = statements.get(`draft ${key}`, () =>
      prepareSql(sql`UPDATE ${sql.table(key)} SET draft = ${param('draft')} WHERE pk = ${param('pk')}`),
    )
    await connection.pipeline([
      ...this.#journal.steps(
        { seq, at, actor, action: draft ? 'draft' : 'discard', collection: key, id },
        former ? [{ seq: former.seq, doc: wholeOf(former) }] : [],
      ),
      () => connection.run(put, { draft: draft ? JSON.stringify({ seq, ...draft }) : null, pk }),
    ])
    connection.batch.count(draftCounterChange(key, seq))
    return seq
  }
}
