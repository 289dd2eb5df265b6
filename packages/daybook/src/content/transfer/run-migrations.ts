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
export function findPendingMigrations<File extends MigrationFile>(
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
  static async acquire(
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

  /**
   * Runs `work` as one transaction of the process that has the right. A process that stood still for too long goes on when no other
   * one has the right.
   *
   * @throws {MigrationError} when another process has it
   */
  async transaction<T>(work: (writer: Writer) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await this.#lease.write(work, { exclusive: true })
      } catch (error) {
        if (!(error instanceof LeaseLost)) throw error
        if (!(await this.#lease.take())) throw new MigrationError(TAKEN_OVER)
      }
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
  readonly engine: ContentContext
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
  const { name, migration } = file
  const record = await lock.transaction((writer) => beginRun(writer, file))
  if (!record) return
  const run = new OwnTransactions(lock, record)
  const own = new MigrationRunContent(engine, { name, signal, positions: positionsOf(record), ...run.steps })
  const calls = new Set<Promise<unknown>>()
  const content = watchCalls(own, calls)
  const context = { content, dryRun, signal, log: (text: string) => log(`  ${name}: ${text}`) }
  try {
    await withAbort(async () => migration.run(context), signal)
    if (calls.size > 0)
      throw new MigrationError('run ended before its calls of content did. Write await before each of them.')
    await run.finish()
  } catch (error) {
    if (signal.aborted) throw error
    throw explainFailure(name, error, dryRun)
  } finally {
    run.end()
  }
  const changes = `${run.changes} ${run.changes === 1 ? 'change' : 'changes'}`
  log(`      migrations/${name} ${dryRun ? 'would run' : 'has run'} (${changes})`)
}

/** Notes that a migration begins, or goes on; `undefined`: another process has run it to its end meanwhile. */
async function beginRun({ migrations }: Writer, file: MigrationFile): Promise<MigrationRecord | undefined> {
  const { name, hash } = file
  const before = await migrations.get(name)
  if (findPendingMigrations([file], before ? [before] : []).length === 0) return undefined
  const { started = now(), position = '{}' } = before ?? {}
  const record = { name, hash, started, run: randomUUID(), position, finished: null }
  await migrations.put(record)
  return record
}

/** Content whose calls that are under way are in `calls`. One that nobody awaits fails with the migration, not with the process. */
function watchCalls<Content extends object>(content: Content, calls: Set<Promise<unknown>>): Content {
  const watch = (answer: unknown): unknown => {
    if (!(answer instanceof Promise)) return answer
    calls.add(answer)
    const settle = (): void => void calls.delete(answer)
    answer.then(settle, settle)
    return answer
  }
  return new Proxy(content, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key)
      return typeof member === 'function' ? (...args: unknown[]) => watch(Reflect.apply(member, target, args)) : member
    },
  })
}

const now = (): string => new Date().toISOString()

function explainFailure(name: string, error: unknown, dryRun: boolean): MigrationError {
  const next = dryRun
    ? 'Nothing was changed. Mend it, and run daybook migrate --dry-run again.'
    : 'What it stored before stays. Mend it, and run daybook migrate --apply again: it goes on.'
  return new MigrationError(`migrations/${name} failed: ${reasonOf(error)}\n${next}`, { cause: error })
}

/** What went wrong; of an error that Daybook does not know, where, too. */
function reasonOf(error: unknown): string {
  if (error instanceof MigrationError) return error.message
  if (error instanceof DaybookError) {
    const issues = error.details.issues?.map(({ path, message }) => `${path.slice(1)} ${message}`)
    return `${error.code}: ${issues?.join('; ') ?? error.message}`
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

const positionsOf = ({ position }: MigrationRecord): LoopPositions => JSON.parse(position)

/**
 * The transactions of one run of a migration, with the number of changes that they make. While a process stands still, another one may
 * take the lock, go on with the migration, and give the lock back: then the stored run is another one.
 */
class OwnTransactions {
  changes = 0
  readonly #lock: MigrationLock
  readonly #record: MigrationRecord
  #isOver = false

  /** @param record as it is stored */
  constructor(lock: MigrationLock, record: MigrationRecord) {
    this.#lock = lock
    this.#record = record
  }

  /** How the content of the migration stores. */
  get steps(): Pick<MigrationRun, 'transact' | 'savePosition'> {
    return {
      transact: (work) => this.#transact(work),
      // Loops may run side by side: each changes its own position in what is stored.
      savePosition: async (writer, loop, pk) => {
        const position = JSON.stringify({ ...positionsOf(await this.#requireOwn(writer)), [loop]: pk })
        await writer.migrations.put({ ...this.#record, position })
      },
    }
  }

  /** Notes that the migration has run. */
  async finish(): Promise<void> {
    await this.#transact((writer) => writer.migrations.put({ ...this.#record, position: '{}', finished: now() }))
  }

  /** Nothing more is stored. */
  end(): void {
    this.#isOver = true
  }

  async #transact<T>(work: (writer: Writer) => Promise<T>): Promise<T> {
    if (this.#isOver) throw new Error('The migration is over. Await each call of content.')
    const { result, changes } = await this.#lock.transaction(async (writer) => {
      await this.#requireOwn(writer)
      return counted(work)(writer)
    })
    this.changes += changes
    return result
  }

  /** @throws {MigrationError} when another process has gone on with the migration */
  async #requireOwn({ migrations }: Writer): Promise<MigrationRecord> {
    const stored = await migrations.get(this.#record.name)
    if (!stored || stored.finished !== null || stored.run !== this.#record.run) throw new MigrationError(TAKEN_OVER)
    return stored
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
    return { result, changes: (writer.lastRecord?.seq ?? head) - head }
  }
}
