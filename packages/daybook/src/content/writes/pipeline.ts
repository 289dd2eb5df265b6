import { DaybookError } from '../../errors.ts'
import type { TransactionOptions } from '../../store/database.ts'
import type { Writer } from '../../store/writes/writer.ts'

/** A write that is ready to be stored. It can be committed again if its transaction is repeated. */
export interface PreparedWrite<Result> extends Pick<TransactionOptions, 'exclusive' | 'concurrent'> {
  /** The size of the values that it keeps in memory, in characters of JSON. Only bulk writes set it. */
  readonly size?: number
  /** @throws {StaleWrite} if it has to be prepared again */
  commit(transaction: WriteTransaction): Promise<Result>
}

export interface WriteTransaction {
  readonly writer: Writer
  readonly hookTime: HookTime
  /** Adds a step that runs after all writes of the transaction are stored. */
  addLastStep(step: LastStep): void
}

/** The time that the hooks of one transaction have taken, in milliseconds. All other writers wait for them. */
export interface HookTime {
  spentMs: number
}

/** A step that runs after all writes of a transaction are stored. */
export type LastStep = (writer: Writer) => Promise<void>

/** Runs work as one transaction, or as part of a larger one. */
export type Transact = <T>(
  work: (writer: Writer) => Promise<T>,
  options: Pick<TransactionOptions, 'exclusive' | 'concurrent'>,
) => Promise<T>

/** Thrown if the document of a prepared write has changed, so that the write has to be prepared again. */
export class StaleWrite extends Error {
  override readonly name = 'StaleWrite'
}

/** The maximum number of times that a write is prepared because its document keeps changing. */
const MAX_ATTEMPTS = 100

/**
 * Prepares a write and commits it in a transaction.
 *
 * @throws what preparing and committing throw; CONFLICT if the document keeps changing
 */
export async function execute<Result>(
  { transact }: { readonly transact: Transact },
  prepare: () => Promise<PreparedWrite<Result>>,
): Promise<Result> {
  return retryStale(async () => {
    const write = await prepare()
    return transact((writer) => runTransaction(writer, (transaction) => write.commit(transaction)), write)
  })
}

export interface CommittedWrites<Result> {
  readonly results: readonly Result[]
  /** The number of the first change, possibly of another document; `undefined` if nothing has changed. */
  readonly firstSeq: number | undefined
}

/**
 * Prepares writes and commits them in one transaction, in order.
 *
 * @throws as {@link execute}
 */
export async function executeAll<Result>(
  { transact }: { readonly transact: Transact },
  prepare: () => Promise<readonly PreparedWrite<Result>[]>,
): Promise<CommittedWrites<Result>> {
  return retryStale(async () => {
    const writes = await prepare()
    const commitAll = async (writer: Writer): Promise<CommittedWrites<Result>> => {
      const firstSince = writer.watchFirstSeq()
      const results: Result[] = []
      await runTransaction(writer, async (transaction) => {
        for (const write of writes) results.push(await write.commit(transaction))
      })
      return { results, firstSeq: firstSince() }
    }
    return transact(commitAll, { exclusive: writes.some((write) => write.exclusive) })
  })
}

/**
 * Repeats an attempt while it ends with {@link StaleWrite}.
 *
 * @param message the message of the error when the documents keep changing
 * @throws what the attempt throws; CONFLICT after {@link MAX_ATTEMPTS}
 */
export async function retryStale<Result>(
  attempt: () => Promise<Result>,
  message = 'The entry keeps changing. Try again.',
): Promise<Result> {
  for (let count = 1; count <= MAX_ATTEMPTS; count += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof StaleWrite)) throw error
    }
  }
  throw new DaybookError('CONFLICT', message)
}

/** Commits writes as one transaction, then runs the last steps that they have added. */
export async function runTransaction<Result>(
  writer: Writer,
  commit: (transaction: WriteTransaction) => Promise<Result>,
): Promise<Result> {
  const lastSteps: LastStep[] = []
  const atEnd = (step: LastStep): void => void lastSteps.push(step)
  const result = await commit({ writer, hookTime: { spentMs: 0 }, addLastStep: atEnd })
  for (const step of lastSteps) await step(writer)
  return result
}

/** Thrown to roll back the transaction of a dry run. */
class DryRunEnd extends Error {
  override readonly name = 'DryRunEnd'
  readonly result: unknown

  constructor(result: unknown) {
    super('A dry run ends here.')
    this.result = result
  }
}

/** Returns a function that runs transactions, rolls them back, and returns their results. */
export const dryRun =
  (transact: Transact): Transact =>
  async (work) => {
    try {
      return await transact(
        async (writer) => {
          throw new DryRunEnd(await work(writer))
        },
        // The rollback must not undo writes of other requests.
        { exclusive: true },
      )
    } catch (error) {
      if (error instanceof DryRunEnd) return error.result as never
      throw error
    }
  }
