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
import { DEFAULT_RESPONSE_TIMEOUT_MS, type PostgresOptions, transactionLimits } from './postgres-options.ts'
import { JOURNAL_CHANNEL, type PostgresServer } from './postgres-server.ts'

/** The maximum number of writes that share a commit. */
const MAX_GROUP = 64
/** The writing connections: one that writes, and one that finds out the outcome of a lost commit. */
const WRITERS = 2

/** Writes to PostgreSQL. Writes of one node share transactions, and nodes take turns. */
export class PostgresWriter {
  readonly #server: PostgresServer
  readonly #writes: Pool
  readonly #isPrepared: boolean
  readonly #responseTimeoutMs: number
  readonly #begin: string
  readonly #onStored: (seq: number) => void
  readonly #queue: QueuedWrite[] = []
  #draining: Promise<void> | undefined
  statementCount = 0

  /** @param onStored called with the head of the journal after each commit that moved it */
  constructor(server: PostgresServer, options: PostgresOptions, onStored: (seq: number) => void) {
    const { pooler = 'none', responseMs: responseTimeoutMs = DEFAULT_RESPONSE_TIMEOUT_MS } = options
    this.#server = server
    this.#writes = server.openWritePool(WRITERS)
    this.#isPrepared = pooler === 'none'
    this.#responseTimeoutMs = responseTimeoutMs
    // Writers take turns from their first statement on, so that nothing a writer reads changes before its commit.
    this.#begin = buildBegin(...transactionLimits(options))
    this.#onStored = onStored
  }

  /** Resolves when the queue is empty. */
  async drained(): Promise<void> {
    await this.#draining
  }

  write<T>(
    work: (writer: WriteConnection) => Promise<T>,
    { exclusive = false, concurrent = false, isLong = false, isRestartable = false }: TransactionOptions = {},
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const options = { exclusive, concurrent, isLong, isRestartable }
      this.#queue.push({ work, ...options, resolve: resolve as QueuedWrite['resolve'], reject })
      this.#draining ??= this.#drain()
    })
  }

  /** Changes tables. Only one node at a time can do so. */
  async alter<T>(work: (writer: WriteConnection) => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const job: QueuedWrite = { work, isLong: true, resolve: resolve as QueuedWrite['resolve'], reject }
    for (;;) {
      const outcomes = await this.#runShared(BEGIN_ALTER, [job]).catch((error) => {
        if (error instanceof AlterInProgress) return undefined
        throw error
      })
      for (const report of outcomes ?? []) report()
      if (outcomes) return promise
      await sleep(ALTER_RETRY_MS)
    }
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) await this.#commitGroup(this.#next())
    this.#draining = undefined
  }

  /** Takes the next writes that share a transaction. Exclusive and long ones get their own. */
  #next(): readonly QueuedWrite[] {
    const alone = this.#queue.findIndex(({ exclusive, isLong }) => exclusive || isLong)
    const count = alone === -1 ? MAX_GROUP : Math.max(1, Math.min(alone, MAX_GROUP))
    return this.#queue.splice(0, count)
  }

  #beginFor({ isLong, isRestartable }: Partial<QueuedWrite> = {}): string {
    if (!isLong) return this.#begin
    return isRestartable ? BEGIN_RESTARTABLE : BEGIN_LONG
  }

  /** Commits a group. A transaction that was lost or rolled back stored nothing, so it is repeated once. */
  async #commitGroup(group: readonly QueuedWrite[]): Promise<void> {
    const begin = this.#beginFor(group[0])
    const outcomes = await this.#runShared(begin, group)
      .catch((error) => (canRetry(error) ? this.#runShared(begin, group) : Promise.reject(error)))
      .catch((error: unknown) => error)
    if (Array.isArray(outcomes)) for (const report of outcomes) report()
    else if (outcomes instanceof TransactionAborted)
      this.#queue.unshift(...group.map((job) => ({ ...job, exclusive: true })))
    else this.#reject(group, translatePostgresError(outcomes, this.#server.translator.names))
  }

  /** Rejects a group, and the queued writes if the database is unavailable, since they would fail in the same way. */
  #reject(group: readonly QueuedWrite[], error: unknown): void {
    for (const { reject } of group) reject(error)
    if (!isUnavailable(error)) return
    const refusal = new DaybookError('SERVICE_UNAVAILABLE', undefined, {}, error)
    for (const { reject } of this.#queue.splice(0)) reject(refusal)
  }

  /** Runs jobs in one transaction. If one fails after it has changed something, all fail. */
  async #runShared(begin: string, group: readonly QueuedWrite[]): Promise<readonly (() => void)[]> {
    this.#server.requireUp()
    const client = await this.#writes.connect()
    let isBroken = false
    try {
      const { transaction, begun } = await this.#open(client, begin)
      const outcomes: (() => void)[] = []
      try {
        for (const jobs of groupTurns(group))
          outcomes.push(...(await runConcurrently(transaction, jobs, group.length > 1)))
      } finally {
        // If the transaction could not begin, its error is the cause of all others.
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

  /** Begins a transaction. The first statements of writes are sent before the server has responded. */
  async #open(client: PoolClient, begin: string): Promise<OpenTransaction> {
    const open = (head?: Promise<number>): PostgresTransaction =>
      new PostgresTransaction(this.#server.sender(client), this.#isPrepared, this.#server.translator, head)
    const begun = client.query(begin) as unknown as Promise<readonly QueryResult[]>
    if (begin === BEGIN_ALTER) {
      if (lastRow(await begun)?.is_free === 'f') throw new AlterInProgress()
      await client.query(TAKE_TURN_IF_ANY)
      return { transaction: open(), begun }
    }
    const head = begun.then((results) => Number(lastRow(results)?.seq ?? 0))
    // The writes or the caller handle the error.
    head.catch(() => {})
    return { transaction: open(head), begun }
  }

  /** @throws SERVICE_UNAVAILABLE with `details.outcome` `unknown` if the connection was lost and the outcome cannot be found */
  async #commit(client: PoolClient, { lastRecord }: CommitBatch): Promise<void> {
    try {
      // PostgreSQL delivers the notification at the commit.
      const result = await client.query(
        lastRecord ? `NOTIFY ${JOURNAL_CHANNEL}, '${lastRecord.seq}'; COMMIT` : 'COMMIT',
      )
      // The server rolls back if any statement has failed, even if its error was swallowed.
      if ([result].flat().at(-1)?.command === 'ROLLBACK')
        throw new Error('The transaction was rolled back, as a statement in it had failed.')
      if (lastRecord) this.#onStored(lastRecord.seq)
    } catch (error) {
      if (!isConnectionLoss(error)) throw error
      const outcome = await isCommitStored(() => this.#writes.connect(), lastRecord, this.#responseTimeoutMs)
      if (outcome === undefined) throw unknownOutcome(error)
      if (!outcome) throw error
      // The commit is stored; only the connection is lost.
      destroyConnection(client)
    }
  }
}

interface OpenTransaction {
  readonly transaction: PostgresTransaction
  /** Resolves when the transaction has begun; rejects if it could not. */
  readonly begun: Promise<unknown>
}

const lastRow = (results: readonly QueryResult[]): Record<string, unknown> | undefined => results.at(-1)?.rows[0]

interface QueuedWrite {
  /** True if no timeouts apply. */
  readonly isLong: boolean
  /** True if a crash of the server may lose the commit. */
  readonly isRestartable?: boolean
  /** True if it does not share its transaction. */
  readonly exclusive?: boolean
  /** True if it can run concurrently with others of its kind. */
  readonly concurrent?: boolean
  readonly work: (writer: WriteConnection) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

/** Another node is changing the tables. */
class AlterInProgress extends Error {
  override readonly name = 'AlterInProgress'
}

/** A job that failed half-way has aborted the transaction that it shared. */
class TransactionAborted extends Error {
  override readonly name = 'TransactionAborted'
}

/** Groups jobs into turns that run one after the other. Adjacent concurrent jobs share a turn. */
function groupTurns(group: readonly QueuedWrite[]): readonly (readonly QueuedWrite[])[] {
  const turns: QueuedWrite[][] = []
  for (const job of group) {
    const last = turns.at(-1)
    if (job.concurrent && last?.[0]?.concurrent) last.push(job)
    else turns.push([job])
  }
  return turns
}

/** Runs jobs concurrently, and waits for all of them, since no statement may be pending when the transaction ends. */
async function runConcurrently(
  transaction: PostgresTransaction,
  jobs: readonly QueuedWrite[],
  isShared: boolean,
): Promise<readonly (() => void)[]> {
  const { batch } = transaction
  const { savepoint } = batch
  // Concurrent jobs take numbers only for what they store, so there is nothing to roll back.
  const rollback = (): void => (jobs.length === 1 ? batch.rollbackTo(savepoint) : undefined)
  const results = await Promise.allSettled(
    jobs.map((job) => runQueuedWrite(transaction.createPart(), job, isShared, rollback)),
  )
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  // After a failed statement, the server rejects those of the other jobs, too; their errors are not the cause.
  if (reasons.length > 0) throw reasons.find((reason) => reason instanceof TransactionAborted) ?? reasons[0]
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
}

/** @param rollback discards what a job without changes has added to the commit batch */
async function runQueuedWrite(
  part: TransactionPart,
  { work, resolve, reject }: QueuedWrite,
  isShared: boolean,
  rollback: () => void,
): Promise<() => void> {
  try {
    const value = await work(part)
    return () => resolve(value)
  } catch (error) {
    if (!isShared || (part.isDirty && isUnavailable(error))) throw error
    if (part.isDirty) throw new TransactionAborted()
    rollback()
    return () => reject(error)
  }
}

/** True if an error means that the connection is lost. */
const isBrokenBy = (error: unknown): boolean =>
  isConnectionLoss(error) || (error instanceof Error && isConnectionLoss(error.cause))

export const isUnavailable = (error: unknown): error is DaybookError =>
  error instanceof DaybookError && error.code === 'SERVICE_UNAVAILABLE'

/** True if a predicate holds for an error or its cause, and the outcome of the transaction is known. */
function isCertain(error: unknown, is: (error: unknown) => boolean): boolean {
  if (error instanceof DaybookError && error.details.outcome === 'unknown') return false
  return is(error) || (error instanceof Error && is(error.cause))
}

/** True if the transaction was lost with its connection, and nothing is stored. */
const isLost = (error: unknown): boolean => isCertain(error, isConnectionLoss)

/** True if nothing of the transaction is stored, and another attempt may succeed. */
const canRetry = (error: unknown): boolean => isLost(error) || isCertain(error, isClash)

const unknownOutcome = (cause: unknown): DaybookError =>
  new DaybookError(
    'SERVICE_UNAVAILABLE',
    'The connection was lost during the write, so it is not known whether it was stored. Read before you send it again.',
    { outcome: 'unknown' },
    cause,
  )

const UNLIMITED =
  'SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0'
const buildBegin = (...settings: readonly string[]): string => ['BEGIN', ...settings, TAKE_TURN].join('; ')
const BEGIN_LONG = buildBegin(UNLIMITED)
/** Only waiting for the disk is skipped: the commit is still atomic. */
const BEGIN_RESTARTABLE = buildBegin(UNLIMITED, 'SET LOCAL synchronous_commit = off')
const ALTER_LOCK = "hashtext('daybook'), hashtext(current_schema())"
/**
 * Nodes that start at the same time create their tables one after the other. They poll for the lock instead of waiting inside a statement,
 * since CREATE INDEX CONCURRENTLY waits for all statements that began before.
 */
const BEGIN_ALTER = `BEGIN; ${UNLIMITED}; SELECT pg_try_advisory_xact_lock(${ALTER_LOCK}) AS is_free`
const ALTER_RETRY_MS = 100
/** Takes the turn to write for changes of tables, once there is a journal: otherwise, a change and a write could deadlock. */
const TAKE_TURN_IF_ANY = `${LOCK_TURN};
  DO $$ BEGIN IF to_regclass('daybook$head') IS NOT NULL THEN PERFORM seq FROM daybook$head FOR UPDATE; END IF; END $$`

/** Waits until no other node changes tables, and prevents that for as long as the session lasts. */
export async function lockAlter(session: Connection): Promise<void> {
  await session.run(rawStatement('SET statement_timeout = 0; SET lock_timeout = 0'))
  const attempt = rawStatement(`SELECT 1 AS is_free WHERE pg_try_advisory_lock(${ALTER_LOCK})`)
  while (!(await session.get(attempt))) await sleep(ALTER_RETRY_MS)
}
