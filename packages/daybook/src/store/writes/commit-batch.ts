import type { PipelinedConnection } from '../connection.ts'
import { build, param, prepare, type Statement, type StatementValues } from '../statement.ts'
import { type CounterChange, counterSteps } from './counters.ts'

/** The values that tell a journal record from any other that could have had its number. */
export interface JournalRecord {
  readonly seq: number
  readonly id: string
  /** ISO 8601. */
  readonly at: string
}

/** A position in a {@link CommitBatch}. */
export type Savepoint = readonly [numbers: number, last: JournalRecord | undefined, counted: number, waiting: number]

/**
 * The work that the writes of a transaction share and do once, at the commit: the journal's numbers, the counters of collections, and
 * statements whose effect nothing in the transaction reads.
 */
export class CommitBatch {
  readonly #connection: PipelinedConnection
  readonly #startHead: Promise<number> | undefined
  #head: number | undefined
  #numbers = 0
  #last: JournalRecord | undefined
  readonly #counted: CounterChange[] = []
  readonly #waiting: [Statement, StatementValues][] = []
  /** The count of numbers that the row of the head includes. */
  #flushed = 0

  /**
   * @param connection the connection of a transaction without concurrent writers
   * @param head the last number of the journal, if the start of the transaction returns it
   */
  constructor(connection: PipelinedConnection, head?: Promise<number>) {
    this.#connection = connection
    this.#startHead = head
  }

  get lastRecord(): JournalRecord | undefined {
    return this.#last
  }

  /** Starts watching. The returned function returns the first number taken since; `undefined` if there is none. */
  watchFirstSeq(): () => number | undefined {
    const before = this.#numbers
    return () => (this.#numbers > before ? Number(this.#head) + before + 1 : undefined)
  }

  /** Takes the next number of the journal for a change of this document at this time. */
  async nextSeq(id: string, at: string): Promise<number> {
    this.#head ??= await (this.#startHead ?? this.#readHead())
    this.#numbers += 1
    const seq = this.#head + this.#numbers
    this.#last = { seq, id, at }
    return seq
  }

  async #readHead(): Promise<number> {
    return (await this.#connection.get(JOURNAL_HEAD))?.seq ?? 0
  }

  addCounters(change: CounterChange): void {
    this.#counted.push(change)
  }

  /**
   * Defers a statement to the commit, as for search rows: FTS5 writes to its table whenever a savepoint ends after a change, so entries
   * that share a commit would not share that work.
   */
  deferToCommit(statement: Statement, values: StatementValues): void {
    this.#waiting.push([statement, values])
  }

  get savepoint(): Savepoint {
    return [this.#numbers, this.#last, this.#counted.length, this.#waiting.length]
  }

  /** Discards everything after a savepoint. */
  rollbackTo([numbers, last, counted, waiting]: Savepoint): void {
    this.#numbers = numbers
    this.#last = last
    this.#counted.length = counted
    this.#waiting.length = waiting
  }

  /** Runs the deferred statements and stores the counters and the head, before the commit or a read inside the transaction. */
  async flush(): Promise<void> {
    const waiting = this.#waiting.splice(0)
    const isMoved = this.#numbers !== this.#flushed
    this.#flushed = this.#numbers
    await this.#connection.pipeline([
      ...waiting.map(
        ([statement, values]) =>
          () =>
            this.#connection.run(statement, values),
      ),
      ...counterSteps(this.#connection, this.#counted.splice(0)),
      ...(isMoved ? [() => this.#connection.run(MOVE_HEAD, { seq: Number(this.#head) + this.#numbers })] : []),
    ])
  }
}

/** Reads the last number of the journal. */
export const JOURNAL_HEAD: Statement<{ readonly seq: number }> = prepare(build.selectFrom('daybook$head').select('seq'))
const MOVE_HEAD = prepare(build.updateTable('daybook$head').set({ seq: param<number>('seq') }))
