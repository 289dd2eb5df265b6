import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { DaybookError, MigrationError } from '../../errors.ts'
import { Lease, LeaseLost } from '../../store/records/lease.ts'
import type { MigrationRecord } from '../../store/records/migration-records.ts'
import type { Store } from '../../store/store.ts'
import type { Writer } from '../../store/writes/writer.ts'
import { withAbort } from '../../with-timeout.ts'
import type { ContentContext } from '../context.ts'
import type { Migration } from './define-migration.ts'
import { type LoopPositions, type MigrationRun, MigrationRunContent } from './migration-content.ts'

export interface MigrationFile {
  readonly name: string
  /** The digest of its text. */
  readonly hash: string
}

export interface LoadedMigration extends MigrationFile {
  readonly migration: Migration
}

/**
 * Returns the migrations that have not finished on this store, in the order of their names.
 *
 * @throws {MigrationError} if a file has changed since it ran
 */
export function findPendingMigrations<File extends MigrationFile>(
  files: readonly File[],
  records: readonly MigrationRecord[],
): readonly File[] {
  const ran = new Map(records.flatMap((record) => (record.finished === null ? [] : [[record.name, record] as const])))
  for (const { name, hash } of files) {
    const previousRun = ran.get(name)
    if (previousRun && previousRun.hash !== hash)
      throw new MigrationError(
        `migrations/${name} has changed since it ran (${previousRun.finished}). Restore the file, and write further changes in a new migration.`,
      )
  }
  return files.filter(({ name }) => !ran.has(name)).toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** The time after which the lock of a killed process expires, in milliseconds. */
const LEASE_MS = 10_000
/** The interval at which a waiting process retries, in milliseconds. */
const RETRY_MS = 200

const LOCK_TAKEN = 'Another process is migrating this store. Run daybook migrate again when it has ended.'

/** The lock for migrating a store. One process at a time holds it. */
export class MigrationLock {
  readonly #lease: Lease
  readonly #renewal: NodeJS.Timeout

  private constructor(lease: Lease, leaseMs: number) {
    this.#lease = lease
    this.#renewal = setInterval(() => void lease.take().catch(() => {}), leaseMs / 4)
  }

  /**
   * Waits until no other process migrates the store.
   *
   * @param onWait called once if another process holds the lock
   */
  static async acquire(
    store: Store,
    { onWait, signal, leaseMs = LEASE_MS }: { onWait(): void; signal: AbortSignal; leaseMs?: number },
  ): Promise<MigrationLock> {
    const lease = new Lease(store, 'migrate', leaseMs)
    for (let isWaiting = false; !(await lease.take()); isWaiting = true) {
      if (!isWaiting) onWait()
      await sleep(RETRY_MS, undefined, { signal })
    }
    return new MigrationLock(lease, leaseMs)
  }

  /**
   * Runs work in a transaction that verifies the lock. If the lock has expired, it is acquired again unless another process holds it.
   *
   * @throws {MigrationError} if another process holds the lock
   */
  async transaction<T>(work: (writer: Writer) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await this.#lease.write(work, { exclusive: true })
      } catch (error) {
        if (!(error instanceof LeaseLost)) throw error
        if (!(await this.#lease.take())) throw new MigrationError(LOCK_TAKEN)
      }
    }
  }

  async release(): Promise<void> {
    clearInterval(this.#renewal)
    await this.#lease.release()
  }
}

export interface RunOptions {
  /** Writes a line of progress. */
  log(message: string): void
  readonly context: ContentContext
  readonly signal: AbortSignal
  readonly lock: MigrationLock
  /** True if the store is a copy that is deleted afterwards. */
  readonly dryRun: boolean
}

/**
 * Runs migrations in order, and records each that has finished.
 *
 * @throws {MigrationError} if one fails; the previous ones have finished
 */
export async function runMigrations(files: readonly LoadedMigration[], options: RunOptions): Promise<void> {
  for (const file of files) await runMigration(file, options)
}

async function runMigration(file: LoadedMigration, options: RunOptions): Promise<void> {
  const { context, lock, log, dryRun, signal } = options
  const { name, migration } = file
  const record = await lock.transaction((writer) => beginRun(writer, file))
  if (!record) return
  const transactions = new RunTransactions(lock, record)
  const migrationContent = new MigrationRunContent(context, {
    name,
    signal,
    positions: parsePositions(record),
    ...transactions.steps,
  })
  const calls = new Set<Promise<unknown>>()
  const content = watchCalls(migrationContent, calls)
  const migrationContext = { content, dryRun, signal, log: (text: string) => log(`  ${name}: ${text}`) }
  try {
    await withAbort(async () => migration.run(migrationContext), signal)
    if (calls.size > 0)
      throw new MigrationError('run returned before its calls of content were complete. Write await before each call.')
    await transactions.finish()
  } catch (error) {
    if (signal.aborted) throw error
    throw explainFailure(name, error, dryRun)
  } finally {
    transactions.end()
  }
  const changes = `${transactions.changes} ${transactions.changes === 1 ? 'change' : 'changes'}`
  log(`      migrations/${name} ${dryRun ? 'would run' : 'has run'} (${changes})`)
}

/** Records that a migration begins or continues; `undefined` if another process has finished it. */
async function beginRun({ migrations }: Writer, file: MigrationFile): Promise<MigrationRecord | undefined> {
  const { name, hash } = file
  const previousRun = await migrations.get(name)
  if (findPendingMigrations([file], previousRun ? [previousRun] : []).length === 0) return undefined
  const { started = timestamp(), position = '{}' } = previousRun ?? {}
  const record = { name, hash, started, run: randomUUID(), position, finished: null }
  await migrations.put(record)
  return record
}

/** Wraps content so that pending calls are in `calls`. A rejected call that is not awaited fails the migration, not the process. */
function watchCalls<Content extends object>(content: Content, calls: Set<Promise<unknown>>): Content {
  const watch = (result: unknown): unknown => {
    if (!(result instanceof Promise)) return result
    calls.add(result)
    const removeCall = (): void => void calls.delete(result)
    result.then(removeCall, removeCall)
    return result
  }
  return new Proxy(content, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key)
      return typeof member === 'function' ? (...args: unknown[]) => watch(Reflect.apply(member, target, args)) : member
    },
  })
}

const timestamp = (): string => new Date().toISOString()

function explainFailure(name: string, error: unknown, dryRun: boolean): MigrationError {
  const next = dryRun
    ? 'Nothing was changed. Fix it, and run daybook migrate --dry-run again.'
    : 'Changes that were already stored are kept. Fix it, and run daybook migrate --apply again, which continues from there.'
  return new MigrationError(`migrations/${name} failed: ${formatReason(error)}\n${next}`, { cause: error })
}

/** Returns the reason of a failure, with the stack trace of unknown errors. */
function formatReason(error: unknown): string {
  if (error instanceof MigrationError) return error.message
  if (error instanceof DaybookError) {
    const issues = error.details.issues?.map(({ message }) => message)
    return `${error.code}: ${issues?.join(' ') ?? error.message}`
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

const parsePositions = ({ position }: MigrationRecord): LoopPositions => JSON.parse(position)

/**
 * The transactions of one run of a migration, and the number of their changes. While a process is paused, another one may acquire the lock,
 * continue the migration, and release the lock. The stored record then names another run.
 */
class RunTransactions {
  changes = 0
  readonly #lock: MigrationLock
  readonly #record: MigrationRecord
  #isOver = false

  constructor(lock: MigrationLock, record: MigrationRecord) {
    this.#lock = lock
    this.#record = record
  }

  /** The functions with which the content of the migration stores changes. */
  get steps(): Pick<MigrationRun, 'transact' | 'savePosition'> {
    return {
      transact: (work) => this.#transact(work),
      // Loops may run concurrently, so each changes only its position in the stored record.
      savePosition: async (writer, loop, pk) => {
        const position = JSON.stringify({ ...parsePositions(await this.#requireOwnRun(writer)), [loop]: pk })
        await writer.migrations.put({ ...this.#record, position })
      },
    }
  }

  async finish(): Promise<void> {
    await this.#transact((writer) => writer.migrations.put({ ...this.#record, position: '{}', finished: timestamp() }))
  }

  /** Rejects later transactions. */
  end(): void {
    this.#isOver = true
  }

  async #transact<T>(work: (writer: Writer) => Promise<T>): Promise<T> {
    if (this.#isOver) throw new Error('The migration has ended. Await each call of content.')
    const { result, changes } = await this.#lock.transaction(async (writer) => {
      await this.#requireOwnRun(writer)
      return countChanges(writer, work)
    })
    this.changes += changes
    return result
  }

  /** @throws {MigrationError} if another process has continued the migration */
  async #requireOwnRun({ migrations }: Writer): Promise<MigrationRecord> {
    const stored = await migrations.get(this.#record.name)
    if (!stored || stored.finished !== null || stored.run !== this.#record.run) throw new MigrationError(LOCK_TAKEN)
    return stored
  }
}

interface CountedResult<T> {
  readonly result: T
  readonly changes: number
}

async function countChanges<T>(writer: Writer, work: (writer: Writer) => Promise<T>): Promise<CountedResult<T>> {
  const head = await writer.read.journal.head()
  const result = await work(writer)
  return { result, changes: (writer.lastRecord?.seq ?? head) - head }
}
