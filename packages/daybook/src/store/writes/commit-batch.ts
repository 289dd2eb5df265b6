import type { PipelinedConnection } from '../connection.ts'
import { build, param, prepare, type Statement, type StatementValues } from '../statement.ts'
import { type CounterChange, counterSteps } from './counters.ts'

/** The values that distinguish a journal record from any other that might have had its number. */
export interface JournalRecord {
  readonly seq: number
  readonly id: string
  /** ISO 8601. */
  readonly at: string
}

/** A position in a {@link CommitBatch}. */
export type Savepoint = readonly [numbers: number, last: JournalRecord | undefined, counted: number, waiting: number]

/**
 * The work that writes of one transaction share and do once, at its commit: the journal's numbers, the counters of
 * collections, and statements whose effect nothing in the transaction reads.
 */
export class CommitBatch {
  readonly #connection: PipelinedConnection
  readonly #begun: Promise<number> | undefined
  #head: number | undefined
  #numbers = 0
  #last: JournalRecord | undefined
  readonly #counted: CounterChange[] = []
  readonly #waiting: [Statement, StatementValues][] = []
  /** The count of numbers that the head's row includes. */
  #flushed = 0

  /**
   * @param connection that of a transaction which no other writer runs beside
   * @param head the last number of the journal, where the transaction's beginning tells it
   */
  constructor(connection: PipelinedConnection, head?: Promise<number>) {
    this.#connection = connection
    this.#begun = head
  }

  /** The last record that was begun; `undefined`: none was. */
  get lastRecord(): JournalRecord | undefined {
    return this.#last
  }

  /** Begins to watch: tells the first number that was taken since; `undefined`: none was. */
  watchFirstSeq(): () => number | undefined {
    const before = this.#numbers
    return () => (this.#numbers > before ? Number(this.#head) + before + 1 : undefined)
  }

  /** Takes the next number of the journal, for a change of that document at that moment. */
  async nextSeq(id: string, at: string): Promise<number> {
    this.#head ??= await (this.#begun ?? this.#readHead())
    this.#numbers += 1
    const seq = this.#head + this.#numbers
    this.#last = { seq, id, at }
    return seq
  }

  async #readHead(): Promise<number> {
    return (await this.#connection.get(JOURNAL_HEAD))?.seq ?? 0
  }

  /** Adds a change of the counters of a collection. */
  addCounters(change: CounterChange): void {
    this.#counted.push(change)
  }

  /**
   * Runs a statement with the commit. Search rows wait so: FTS5 writes to its table whenever a savepoint ends after a
   * change of it, and entries which share a commit would share nothing of that work.
   */
  deferToCommit(statement: Statement, values: StatementValues): void {
    this.#waiting.push([statement, values])
  }

  get savepoint(): Savepoint {
    return [this.#numbers, this.#last, this.#counted.length, this.#waiting.length]
  }

  /** Forgets what came after a savepoint. */
  rollbackTo([numbers, last, counted, waiting]: Savepoint): void {
    this.#numbers = numbers
    this.#last = last
    this.#counted.length = counted
    this.#waiting.length = waiting
  }

  /** Writes down what was gathered, before the commit or a read inside the transaction. */
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
