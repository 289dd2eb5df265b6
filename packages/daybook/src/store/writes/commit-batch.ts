import { build, param, prepare, type Statement, type StatementValues } from '../compile.ts'
import type { PipelinedConnection } from '../connection.ts'
import { PUBLISHED_LOCALES, type SystemTables } from '../tables/tables.ts'
import { Tallies, type TallyChange } from './tallies.ts'

/** An entry that went from one status to another: `null` is an entry without one, `undefined` no entry. */
export interface CountChange {
  readonly key: string
  readonly seq: number
  /** True if readers without a session may have seen the entry, in any locale, before or after the change. */
  readonly isVisible: boolean
  readonly from: string | null | undefined
  readonly to: string | null | undefined
  /** By how much the number of entries changes that are published in some locales only. @default 0 */
  readonly partlyPublished?: number
  readonly tallies: readonly TallyChange[]
  /** Whether working copies or schedules alone have changed. @default false */
  readonly isDraft?: boolean
}

/** What tells one record of the journal from every other that might have had its number. */
export interface JournalRecord {
  readonly seq: number
  readonly id: string
  /** ISO 8601. */
  readonly at: string
}

/** How far a {@link CommitBatch} has come. */
export type Savepoint = readonly [numbers: number, last: JournalRecord | undefined, counted: number, waiting: number]

/**
 * What writes that share a transaction settle once, with its commit: the journal's numbers, the counters of
 * collections, and statements that nothing in the transaction reads the effect of.
 */
export class CommitBatch {
  readonly #connection: PipelinedConnection
  readonly #begun: Promise<number> | undefined
  #head: number | undefined
  #numbers = 0
  #last: JournalRecord | undefined
  readonly #counted: CountChange[] = []
  readonly #waiting: [Statement, StatementValues][] = []
  /** How many numbers the head's row tells of. */
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
  get last(): JournalRecord | undefined {
    return this.#last
  }

  /** Begins to watch: tells the first number that was taken since; `undefined`: none was. */
  watch(): () => number | undefined {
    const before = this.#numbers
    return () => (this.#numbers > before ? Number(this.#head) + before + 1 : undefined)
  }

  /** Takes the next number of the journal, for a change of that document at that moment. */
  async next(id: string, at: string): Promise<number> {
    this.#head ??= await (this.#begun ?? this.#readHead())
    this.#numbers += 1
    const seq = this.#head + this.#numbers
    this.#last = { seq, id, at }
    return seq
  }

  async #readHead(): Promise<number> {
    return (await this.#connection.get(HEAD))?.seq ?? 0
  }

  /** Counts an entry out of one status and into another. */
  count(counted: CountChange): void {
    this.#counted.push(counted)
  }

  /**
   * Runs a statement with the commit. Search rows wait so: FTS5 writes to its table whenever a savepoint ends after a
   * change of it, and entries which share a commit would share nothing of that work.
   */
  later(statement: Statement, values: StatementValues): void {
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
    const changes = this.#counted.splice(0)
    const counted = Map.groupBy(changes, (one) => one.key)
    const tallies = new Tallies()
    for (const one of changes) tallies.add(one.tallies)
    const isMoved = this.#numbers !== this.#flushed
    this.#flushed = this.#numbers
    await this.#connection.pipeline([
      ...this.#waiting.splice(0).map(
        ([statement, values]) =>
          () =>
            this.#connection.run(statement, values),
      ),
      ...[...counted].map(
        ([key, own]) =>
          () =>
            this.#flushCounters(key, own),
      ),
      ...tallies.steps(this.#connection),
      ...(isMoved ? [() => this.#connection.run(MOVE_HEAD, { seq: Number(this.#head) + this.#numbers })] : []),
    ])
  }

  /** Says how many entries a collection has, and how far readers without a session may have to look. */
  async #flushCounters(key: string, changes: readonly CountChange[]): Promise<void> {
    const row = await this.#connection.get(COUNTERS, { key })
    if (!row) throw new Error(`No counters for ${key}`)
    const entries = changes.filter(({ isDraft }) => !isDraft)
    const counts: { [status: string]: number } = JSON.parse(row.counts)
    const add = (name: string, by: number): void => {
      if (by !== 0) counts[name] = (counts[name] ?? 0) + by
    }
    for (const { from, to, partlyPublished = 0 } of entries) {
      if (from !== undefined) add(from ?? '', -1)
      if (to !== undefined) add(to ?? '', 1)
      add(PUBLISHED_LOCALES, partlyPublished)
    }
    await this.#connection.run(UPDATE_COUNTERS, {
      key,
      seq: entries.at(-1)?.seq ?? row.seq,
      visibleSeq: entries.findLast(({ isVisible }) => isVisible)?.seq ?? row.visible_seq,
      draftSeq: changes.findLast(({ isDraft }) => isDraft)?.seq ?? row.draft_seq,
      counts: JSON.stringify(counts),
    })
  }
}

/** The last number of the journal. */
export const HEAD: Statement<{ readonly seq: number }> = prepare(build.selectFrom('daybook$head').select('seq'))
const MOVE_HEAD = prepare(build.updateTable('daybook$head').set({ seq: param<number>('seq') }))
/** Where a collection stands, and what it has. */
export const COUNTERS: Statement<SystemTables['daybook$collections']> = prepare(
  build.selectFrom('daybook$collections').selectAll().where('key', '=', param<string>('key')),
)
const UPDATE_COUNTERS = prepare(
  build
    .updateTable('daybook$collections')
    .set({
      seq: param<number>('seq'),
      visible_seq: param<number>('visibleSeq'),
      draft_seq: param<number | null>('draftSeq'),
      counts: param<string>('counts'),
    })
    .where('key', '=', param<string>('key')),
)
