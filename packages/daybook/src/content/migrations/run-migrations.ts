import { setTimeout as sleep } from 'node:timers/promises'
import { MigrationError } from '../../errors.ts'
import { Lease, LeaseLost } from '../../store/records/lease.ts'
import type { MigrationRecord } from '../../store/records/migration-records.ts'
import type { Store } from '../../store/store.ts'
import type { Writer } from '../../store/writes/write.ts'
import type { Engine } from '../engine.ts'
import type { Transact } from '../writes/prepared.ts'
import type { Migration } from './define-migration.ts'
import { StepContent } from './migration-content.ts'

/** A migration's file. */
export interface MigrationFile {
  readonly name: string
  /** Digest of its text. */
  readonly hash: string
}

/** A migration's file, loaded. */
export interface LoadedMigration extends MigrationFile {
  readonly migration: Migration
}

/**
 * The files that have not run to their end on this store, in the order of their names.
 *
 * @throws {MigrationError} when a file that has run is another one now
 */
export function pendingMigrations<File extends MigrationFile>(
  files: readonly File[],
  records: readonly MigrationRecord[],
): readonly File[] {
  const ran = new Map(records.flatMap((one) => (one.finished === null ? [] : [[one.name, one] as const])))
  for (const { name, hash } of files) {
    const before = ran.get(name)
    if (before && before.hash !== hash)
      throw new MigrationError(
        `migrations/${name} has changed since it ran (${before.finished}). Put it back as it was, and write what is to change in a new file.`,
      )
  }
  return files.filter(({ name }) => !ran.has(name)).toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** How long a migration that was killed keeps others waiting, in milliseconds. */
const LEASE_MS = 10_000
/** How often a process that waits asks again, in milliseconds. */
const ASK_EVERY_MS = 200

const TAKEN_OVER = 'Another process migrates this store now. Run daybook migrate again when it has ended.'

/** The right to migrate a store, which one process at a time has. */
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
   * @param onWait called once, when there is one
   */
  static async take(
    store: Store,
    { onWait, signal, leaseMs = LEASE_MS }: { onWait(): void; signal: AbortSignal; leaseMs?: number },
  ): Promise<MigrationLock> {
    const lease = new Lease(store, 'migrate', leaseMs)
    for (let isWaiting = false; !(await lease.take()); isWaiting = true) {
      if (!isWaiting) onWait()
      await sleep(ASK_EVERY_MS, undefined, { signal })
    }
    return new MigrationLock(lease, leaseMs)
  }

  /** Runs `work` as one transaction of the process that has the right. */
  async transaction<T>(work: (writer: Writer) => Promise<T>): Promise<T> {
    try {
      return await this.#lease.write(work, { isAlone: true })
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error
      // A process that stood still for too long goes on when no other one has the right.
      if (!(await this.#lease.take())) throw new MigrationError(TAKEN_OVER)
      return this.#lease.write(work, { isAlone: true })
    }
  }

  async release(): Promise<void> {
    clearInterval(this.#renewal)
    await this.#lease.release()
  }
}

/** How migrations are run. */
export interface RunOptions {
  /** Is told what happens, line by line. */
  log(message: string): void
  readonly engine: Engine
  readonly signal: AbortSignal
  readonly lock: MigrationLock
  /** Whether the store is a copy that is gone afterwards. */
  readonly dryRun: boolean
}

/**
 * Runs migrations one after the other, and notes each that has come to its end.
 *
 * @throws {MigrationError} when one fails; those before it have run
 */
export async function runMigrations(files: readonly LoadedMigration[], options: RunOptions): Promise<void> {
  for (const file of files) await runMigration(file, options)
}

async function runMigration(file: LoadedMigration, options: RunOptions): Promise<void> {
  const { engine, lock, log, dryRun, signal } = options
  const { name, hash, migration } = file
  const before = (await engine.store.read.system.migrations()).find((one) => one.name === name)
  const record = { name, hash, started: before?.started ?? now(), position: before?.position ?? '{}', finished: null }
  await lock.transaction((writer) => writer.migrations.put(record))
  const run = new OwnTransactions(lock, record)
  const content = new StepContent(engine, {
    name,
    signal,
    positions: JSON.parse(record.position),
    transact: run.transact,
    savePositions: (writer, next) => run.savePosition(writer, JSON.stringify(next)),
  })
  const context = { content, dryRun, signal, log: (text: string) => log(`  ${name}: ${text}`) }
  try {
    await untilAborted(async () => migration.run(context), signal)
    await run.transact((writer) => writer.migrations.put({ ...record, position: '{}', finished: now() }), {})
  } catch (error) {
    if (signal.aborted) throw error
    throw explainFailure(name, error)
  } finally {
    run.end()
  }
  log(
    `      migrations/${name} ${dryRun ? 'would run' : 'has run'} (${run.changes} ${run.changes === 1 ? 'change' : 'changes'})`,
  )
}

const now = (): string => new Date().toISOString()

/** A migration that waits for ever still ends with Ctrl-C. */
async function untilAborted(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const end = (): void => reject(signal.reason)
  signal.throwIfAborted()
  signal.addEventListener('abort', end, { once: true })
  try {
    await Promise.race([work(), promise])
  } finally {
    signal.removeEventListener('abort', end)
  }
}

function explainFailure(name: string, error: unknown): MigrationError {
  const own = error instanceof Error ? error : new Error(String(error))
  const reason = own instanceof MigrationError ? own.message : (own.stack ?? own.message)
  return new MigrationError(
    `migrations/${name} failed: ${reason}\nWhat it stored before stays. Mend it, and run daybook migrate --apply again: it goes on.`,
    { cause: error },
  )
}

/**
 * The transactions of one run of a migration, with the number of changes that they make. While a process stands still, another one may
 * take the lock, go on with the migration, and give the lock back: then the stored position is none of this run.
 */
class OwnTransactions {
  changes = 0
  readonly #lock: MigrationLock
  readonly #record: MigrationRecord
  readonly #positions: Set<string>
  #isOver = false

  /** @param record as it is stored */
  constructor(lock: MigrationLock, record: MigrationRecord) {
    this.#lock = lock
    this.#record = record
    this.#positions = new Set([record.position])
  }

  /** Stores how far the run has come, in a transaction with what it did. */
  async savePosition(writer: Writer, position: string): Promise<void> {
    this.#positions.add(position)
    await writer.migrations.put({ ...this.#record, position })
  }

  get transact(): Transact {
    return async (work) => {
      if (this.#isOver) throw new Error('The migration is over. Await each call of content.')
      const { result, changes } = await this.#lock.transaction(async (writer) => {
        await this.#requireOwn(writer)
        return counted(work)(writer)
      })
      this.changes += changes
      return result
    }
  }

  /** @throws {MigrationError} when another process has gone on with the migration */
  async #requireOwn(writer: Writer): Promise<void> {
    const stored = await writer.migrations.get(this.#record.name)
    if (!stored || stored.finished !== null || !this.#positions.has(stored.position))
      throw new MigrationError(TAKEN_OVER)
  }

  /** Nothing more is stored. */
  end(): void {
    this.#isOver = true
  }
}

interface Counted<T> {
  readonly result: T
  readonly changes: number
}

/** Work of a transaction with how many records of the journal it wrote. */
function counted<T>(work: (writer: Writer) => Promise<T>): (writer: Writer) => Promise<Counted<T>> {
  return async (writer) => {
    const head = await writer.read.journal.head()
    const result = await work(writer)
    return { result, changes: (writer.last?.seq ?? head) - head }
  }
}
