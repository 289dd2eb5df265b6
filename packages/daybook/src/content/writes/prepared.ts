import { DaybookError } from '../../errors.ts'
import type { TransactionOptions } from '../../store/database.ts'
import type { Writer } from '../../store/writes/write.ts'
import { HookTime } from '../hook-time.ts'

/** Work that a transaction does after all of its writes are stored. */
export type LastStep = (writer: Writer) => Promise<void>

/** The transaction that a write becomes part of. */
export interface WriteTransaction {
  readonly writer: Writer
  readonly hookTime: HookTime
  /** Takes what has to wait until all writes of the transaction are stored. */
  atEnd(step: LastStep): void
}

/** A write that has done everything but store. It may be committed again when the transaction is run again. */
export interface PreparedWrite<Result> {
  /** Whether its commit runs code of others, so that it shares none with other requests. */
  readonly isAlone: boolean
  /** Whether its commit asks for nothing that a commit of its kind stores: it adds one entry. @default false */
  readonly isIndependent?: boolean
  /** How much it holds, in characters of JSON; of a write that waits together with many others. */
  readonly size?: number
  /** @throws {StaleWrite} when it has to be prepared again */
  commit(transaction: WriteTransaction): Promise<Result>
}

/** A write whose input is right, as far as that shows without the store. */
export type CheckedWrite<Result> = () => Promise<PreparedWrite<Result>>

/** Runs work as one transaction, or as part of a larger one. */
export type Transact = <T>(
  work: (writer: Writer) => Promise<T>,
  options: Pick<TransactionOptions, 'isAlone' | 'isIndependent'>,
) => Promise<T>

/** The document that a write was prepared from has changed, so that it must be prepared again. */
export class StaleWrite extends Error {
  override readonly name = 'StaleWrite'
}

/** How often a write is prepared again because what it changes has changed meanwhile. */
const MAX_ATTEMPTS = 100

/** Commits prepared writes, in order, and answers their results. */
export async function commitAll<Result>(
  writes: readonly PreparedWrite<Result>[],
  writer: Writer,
): Promise<readonly Result[]> {
  const lastSteps: LastStep[] = []
  const hookTime = new HookTime()
  const transaction: WriteTransaction = { writer, hookTime, atEnd: (step) => void lastSteps.push(step) }
  const results: Result[] = []
  for (const write of writes) results.push(await write.commit(transaction))
  for (const step of lastSteps) await step(writer)
  return results
}

/**
 * Carries out one write.
 *
 * @throws what preparing and committing it throws; CONFLICT when it never gets done because others change the same
 */
export async function carryOut<Result>(
  context: { readonly transact: Transact },
  prepare: () => Promise<PreparedWrite<Result>>,
): Promise<Result> {
  return untilStored(context, async () => {
    const prepared = await prepare()
    const commit = async (writer: Writer): Promise<Result> => {
      const [result] = await commitAll([prepared], writer)
      return result as Result
    }
    const { isAlone, isIndependent = false } = prepared
    return { commit, isAlone, isIndependent }
  })
}

/** What writes of one transaction came to. */
export interface WrittenTogether<Result> {
  readonly results: readonly Result[]
  /** The number of the first change, which may be one of another document; `undefined`: nothing has changed. */
  readonly firstSeq: number | undefined
}

/**
 * Carries out writes in one transaction, in order.
 *
 * @throws as {@link carryOut}
 */
export async function carryOutAll<Result>(
  context: { readonly transact: Transact },
  prepare: () => Promise<readonly PreparedWrite<Result>[]>,
): Promise<WrittenTogether<Result>> {
  return untilStored(context, async () => {
    const prepared = await prepare()
    const commit = async (writer: Writer): Promise<WrittenTogether<Result>> => {
      const firstSince = writer.watch()
      const results = await commitAll(prepared, writer)
      return { results, firstSeq: firstSince() }
    }
    return { commit, isAlone: prepared.some((write) => write.isAlone) }
  })
}

/** What a transaction does, once it is prepared. */
interface ReadyTransaction<Result> extends Pick<PreparedWrite<Result>, 'isAlone' | 'isIndependent'> {
  commit(writer: Writer): Promise<Result>
}

async function untilStored<Result>(
  { transact }: { readonly transact: Transact },
  prepare: () => Promise<ReadyTransaction<Result>>,
): Promise<Result> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const { commit, isAlone, isIndependent = false } = await prepare()
    try {
      return await transact(commit, { isAlone, isIndependent })
    } catch (error) {
      if (!(error instanceof StaleWrite)) throw error
    }
  }
  throw new DaybookError('CONFLICT', 'The entry keeps changing; try again.')
}

/** Waits for both, also when one fails: no question may be on its way when the transaction ends. */
export async function both<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([one, other])
  return Promise.all([one, other])
}
