import type { WriteSource } from '../database.ts'
import type { FieldReference, GlobalRow } from '../reads/rows.ts'
import { preparePut } from '../tables/row-statements.ts'
import { GLOBALS } from '../tables/tables.ts'
import { JournalWriter, wholeOf } from './journal-writer.ts'
import { ReferenceWriter } from './reference-writer.ts'

/** Writes globals, inside one transaction. */
export class GlobalWriter {
  readonly #source: WriteSource
  readonly #journal: JournalWriter
  readonly #references: ReferenceWriter

  constructor(source: WriteSource) {
    this.#source = source
    this.#journal = new JournalWriter(source.connection)
    this.#references = new ReferenceWriter(source)
  }

  /** @param before `undefined`: the global was never written */
  async write(
    before: GlobalRow | undefined,
    row: Omit<GlobalRow, 'seq'>,
    references: readonly FieldReference[],
    at: string,
    actor: string,
  ): Promise<number> {
    const { connection } = this.#source
    const { key } = row
    const seq = await connection.batch.next(key, at)
    await connection.pipeline([
      ...this.#journal.steps(
        { seq, at, actor, action: before ? 'update' : 'create', collection: GLOBALS, id: key },
        before ? [{ seq: before.seq, doc: wholeOf(before) }] : [],
      ),
      () => connection.run(PUT_GLOBAL, { ...row, seq }),
      ...this.#references.replaceSteps(GLOBALS, key, references),
    ])
    return seq
  }
}

const PUT_GLOBAL = preparePut('daybook$globals')
