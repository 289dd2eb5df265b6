import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, PoolClient, QueryResult } from 'pg'
import { DaybookError } from '../../errors.ts'
import type { Connection } from '../connection.ts'
import type { TransactionOptions, WriteConnection } from '../database.ts'
import { rawStatement } from '../statement.ts'
import type { CommitBatch } from '../writes/commit-batch.ts'
import { isCommitStored, LOCK_TURN, TAKE_TURN } from './postgres-commit-outcome.ts'
import { PostgresTransaction, type TransactionPart } from './postgres-connection.ts'
import { isClash, isConnectionLoss, translatePostgresError } from './postgres-errors.ts'
import { destroyConnection } from './postgres-health.ts'
import { DEFAULT_POSTGRES_ANSWER_MS, type PostgresOptions, transactionLimits } from './postgres-options.ts'
import { JOURNAL_CHANNEL, type PostgresServer } from './postgres-server.ts'

/** The most writes that share one commit. */
const MAX_GROUP = 64
/** One that writes, and one that finds out what became of a write. */
const WRITERS = 2

/** Writes to PostgreSQL. Those of one node share transactions; those of all nodes take turns. */
export class PostgresWriter {
  readonly #server: PostgresServer
  readonly #writes: Pool
  readonly #isPrepared: boolean
  readonly #answerMs: number
  readonly #begin: string
  readonly #onStored: (seq: number) => void
  readonly #queue: QueuedWrite[] = []
  #draining: Promise<void> | undefined
  /** How many statements have run. */
  statementCount = 0

  /** @param onStored told the last number of the journal after each commit that moved it */
  constructor(server: PostgresServer, options: PostgresOptions, onStored: (seq: number) => void) {
    const { pooler = 'none', answerMs = DEFAULT_POSTGRES_ANSWER_MS } = options
    this.#server = server
    this.#writes = server.openWritePool(WRITERS)
    this.#isPrepared = pooler === 'none'
    this.#answerMs = answerMs
    // Writers take turns from their first statement on: what one reads, no other changes before it is done.
    this.#begin = beginning(...transactionLimits(options))
    this.#onStored = onStored
  }

  /** Resolves when nothing waits to be written. */
  async drained(): Promise<void> {
    await this.#draining
  }

  write<T>(
    work: (writer: WriteConnection) => Promise<T>,
    {
      exclusive = false,
      concurrent = false,
      isLong = false,
      isRestartable: isRepeatable = false,
    }: TransactionOptions = {},
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const how = { exclusive, concurrent, isLong, isRepeatable }
      this.#queue.push({ work, ...how, resolve: resolve as QueuedWrite['resolve'], reject })
      this.#draining ??= this.#drain()
    })
  }

  /** Changes tables, one node after the other. */
  async alter<T>(work: (writer: WriteConnection) => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const job: QueuedWrite = { work, isLong: true, resolve: resolve as QueuedWrite['resolve'], reject }
    for (;;) {
      const outcomes = await this.#runShared(BEGIN_ALTER, [job]).catch((error) => {
        if (error instanceof OthersAlter) return undefined
        throw error
      })
      for (const settle of outcomes ?? []) settle()
      if (outcomes) return promise
      await sleep(ALTER_RETRY_MS)
    }
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) await this.#commitGroup(this.#next())
    this.#draining = undefined
  }

  /** The next writes that share a transaction; some have their own. */
  #next(): readonly QueuedWrite[] {
    const alone = this.#queue.findIndex(({ exclusive, isLong }) => exclusive || isLong)
    const count = alone === -1 ? MAX_GROUP : Math.max(1, Math.min(alone, MAX_GROUP))
    return this.#queue.splice(0, count)
  }

  #beginFor({ isLong, isRepeatable }: Partial<QueuedWrite> = {}): string {
    if (!isLong) return this.#begin
    return isRepeatable ? BEGIN_REPEATABLE : BEGIN_LONG
  }

  /** Nothing of a transaction that was lost or undone is stored, so it is begun once more. */
  async #commitGroup(group: readonly QueuedWrite[]): Promise<void> {
    const begin = this.#beginFor(group[0])
    const outcomes = await this.#runShared(begin, group)
      .catch((error) => (isUndone(error) ? this.#runShared(begin, group) : Promise.reject(error)))
      .catch((error: unknown) => error)
    if (Array.isArray(outcomes)) for (const settle of outcomes) settle()
    else if (outcomes instanceof TransactionAborted)
      this.#queue.unshift(...group.map((job) => ({ ...job, exclusive: true })))
    else this.#refuse(group, translatePostgresError(outcomes, this.#server.texts.names))
  }

  /** Refuses queued writes too when the database is unavailable: they would fail in the same way. */
  #refuse(group: readonly QueuedWrite[], error: unknown): void {
    for (const { reject } of group) reject(error)
    if (!isUnavailable(error)) return
    const refusal = new DaybookError('SERVICE_UNAVAILABLE', undefined, {}, error)
    for (const { reject } of this.#queue.splice(0)) reject(refusal)
  }

  /** Runs jobs in one transaction. One that fails after it has changed something takes the others with it. */
  async #runShared(begin: string, group: readonly QueuedWrite[]): Promise<readonly (() => void)[]> {
    this.#server.requireUp()
    const client = await this.#writes.connect()
    let isBroken = false
    try {
      const { transaction, begun } = await this.#open(client, begin)
      const outcomes: (() => void)[] = []
      try {
        for (const jobs of inTurns(group)) outcomes.push(...(await runBeside(transaction, jobs, group.length > 1)))
      } finally {
        // What follows a transaction that could not begin fails, too, and says less.
        await begun
      }
      await transaction.batch.flush()
      this.statementCount += transaction.statementCount
      await this.#commit(client, transaction.batch)
      return outcomes
    } catch (error) {
      isBroken = isBrokenBy(error)
      if (!isBroken) await client.query('ROLLBACK').catch(() => {})
      throw error
    } finally {
      client.release(isBroken)
    }
  }

  /** Begins a transaction. The first statements of writes are sent before the server has answered. */
  async #open(client: PoolClient, begin: string): Promise<OpenTransaction> {
    const open = (head?: Promise<number>): PostgresTransaction =>
      new PostgresTransaction(this.#server.sender(client), this.#isPrepared, this.#server.texts, head)
    const begun = client.query(begin) as unknown as Promise<readonly QueryResult[]>
    if (begin === BEGIN_ALTER) {
      if (lastRow(await begun)?.is_free === 'f') throw new OthersAlter()
      await client.query(TAKE_TURN_IF_ANY)
      return { transaction: open(), begun }
    }
    const head = begun.then((results) => Number(lastRow(results)?.seq ?? 0))
    // The writes hear of it, or the caller.
    head.catch(() => {})
    return { transaction: open(head), begun }
  }

  /** @throws SERVICE_UNAVAILABLE with `details.outcome` `unknown` when it is unknown whether it is stored */
  async #commit(client: PoolClient, { lastRecord: last }: CommitBatch): Promise<void> {
    try {
      // Other nodes hear of it when it is committed, and not before.
      const result = await client.query(last ? `NOTIFY ${JOURNAL_CHANNEL}, '${last.seq}'; COMMIT` : 'COMMIT')
      // So says the server of a transaction in which a statement failed, even when its error was swallowed.
      if ([result].flat().at(-1)?.command === 'ROLLBACK')
        throw new Error('The transaction was rolled back, as a statement in it had failed.')
      if (last) this.#onStored(last.seq)
    } catch (error) {
      if (!isConnectionLoss(error)) throw error
      const outcome = await isCommitStored(() => this.#writes.connect(), last, this.#answerMs)
      if (outcome === undefined) throw inDoubt(error)
      if (!outcome) throw error
      // It is stored; only the connection is gone.
      destroyConnection(client)
    }
  }
}

interface OpenTransaction {
  readonly transaction: PostgresTransaction
  /** Settles when it has begun, or could not. */
  readonly begun: Promise<unknown>
}

const lastRow = (results: readonly QueryResult[]): Record<string, unknown> | undefined => results.at(-1)?.rows[0]

interface QueuedWrite {
  /** Whether it may take as long as it likes. */
  readonly isLong: boolean
  /** Whether its commit may be lost by a crash of the server. */
  readonly isRepeatable?: boolean
  /** Whether it has a transaction of its own. */
  readonly exclusive?: boolean
  /** Whether it may run beside others of its kind. */
  readonly concurrent?: boolean
  readonly work: (writer: WriteConnection) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

/** Another node is at the tables. */
class OthersAlter extends Error {
  override readonly name = 'OthersAlter'
}

/** A job that failed half-way has spoiled the transaction that it shared. */
class TransactionAborted extends Error {
  override readonly name = 'TransactionAborted'
}

/** Jobs that run one after the other, those that may run beside each other together. */
function inTurns(group: readonly QueuedWrite[]): readonly (readonly QueuedWrite[])[] {
  const turns: QueuedWrite[][] = []
  for (const job of group) {
    const last = turns.at(-1)
    if (job.concurrent && last?.[0]?.concurrent) last.push(job)
    else turns.push([job])
  }
  return turns
}

/** Runs jobs at once, and waits for all of them: no statement may be on its way when the transaction ends. */
async function runBeside(
  transaction: PostgresTransaction,
  jobs: readonly QueuedWrite[],
  isShared: boolean,
): Promise<readonly (() => void)[]> {
  const { batch } = transaction
  const { savepoint } = batch
  // Several take numbers only for what they store.
  const forget = (): void => (jobs.length === 1 ? batch.rollbackTo(savepoint) : undefined)
  const ends = await Promise.allSettled(
    jobs.map((job) => runQueuedWrite(transaction.createPart(), job, isShared, forget)),
  )
  const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
  // After a statement that fails, the server refuses those of the other jobs, too: they are not why.
  if (reasons.length > 0) throw reasons.find((reason) => reason instanceof TransactionAborted) ?? reasons[0]
  return ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
}

/** @param forget undoes what a job that changed nothing has gathered for the commit */
async function runQueuedWrite(
  part: TransactionPart,
  { work, resolve, reject }: QueuedWrite,
  isShared: boolean,
  forget: () => void,
): Promise<() => void> {
  try {
    const value = await work(part)
    return () => resolve(value)
  } catch (error) {
    if (!isShared || (part.isTouched && isUnavailable(error))) throw error
    if (part.isTouched) throw new TransactionAborted()
    forget()
    return () => reject(error)
  }
}

/** Whether a connection ended with this. */
const isBrokenBy = (error: unknown): boolean =>
  isConnectionLoss(error) || (error instanceof Error && isConnectionLoss(error.cause))

/** Whether an error says that the database cannot be used now. */
export const isUnavailable = (error: unknown): error is DaybookError =>
  error instanceof DaybookError && error.code === 'SERVICE_UNAVAILABLE'

/** Whether something holds for an error or for what caused it, unless it is unknown what is stored. */
function isCertain(error: unknown, is: (error: unknown) => boolean): boolean {
  if (error instanceof DaybookError && error.details.outcome === 'unknown') return false
  return is(error) || (error instanceof Error && is(error.cause))
}

/** Whether the transaction ended with its connection, and nothing of it is stored. */
const isLost = (error: unknown): boolean => isCertain(error, isConnectionLoss)

/** Whether the transaction ended, and another attempt may fare better. */
const isUndone = (error: unknown): boolean => isLost(error) || isCertain(error, isClash)

const inDoubt = (cause: unknown): DaybookError =>
  new DaybookError(
    'SERVICE_UNAVAILABLE',
    'The connection was lost while this was being stored; whether it was is not known. Read before you send it again.',
    { outcome: 'unknown' },
    cause,
  )

const UNLIMITED =
  'SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0'
const beginning = (...settings: readonly string[]): string => ['BEGIN', ...settings, TAKE_TURN].join('; ')
const BEGIN_LONG = beginning(UNLIMITED)
/** Nothing else of a commit is relaxed: what it holds is stored whole, or not at all. */
const BEGIN_REPEATABLE = beginning(UNLIMITED, 'SET LOCAL synchronous_commit = off')
const ALTER_LOCK = "hashtext('daybook'), hashtext(current_schema())"
/**
 * Nodes that start at once make their tables one after the other. They ask for the lock again and again instead of waiting
 * inside a statement: making an index beside the work of others waits for all statements that were begun before.
 */
const BEGIN_ALTER = `BEGIN; ${UNLIMITED}; SELECT pg_try_advisory_xact_lock(${ALTER_LOCK}) AS is_free`
const ALTER_RETRY_MS = 100
/** Changes of tables take turns with writes, once there is a journal to write to: otherwise both could wait for each other. */
const TAKE_TURN_IF_ANY = `${LOCK_TURN};
  DO $$ BEGIN IF to_regclass('daybook$head') IS NOT NULL THEN PERFORM seq FROM daybook$head FOR UPDATE; END IF; END $$`

/** Waits in a session of its own until no other node changes tables, and keeps them from it while the session lasts. */
export async function lockAlter(session: Connection): Promise<void> {
  await session.run(rawStatement('SET statement_timeout = 0; SET lock_timeout = 0'))
  const attempt = rawStatement(`SELECT 1 AS is_free WHERE pg_try_advisory_lock(${ALTER_LOCK})`)
  while (!(await session.get(attempt))) await sleep(ALTER_RETRY_MS)
}
