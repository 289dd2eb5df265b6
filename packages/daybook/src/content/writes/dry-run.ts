import type { Transact } from './prepared.ts'

/** Ends a transaction of which nothing is to be stored. */
class DryRunEnd extends Error {
  override readonly name = 'DryRunEnd'
  readonly result: unknown

  constructor(result: unknown) {
    super('A dry run ends here.')
    this.result = result
  }
}

/** Transactions that do everything, answer as they would have, and store nothing. */
export const dryRun =
  (transact: Transact): Transact =>
  async (work) => {
    try {
      return await transact(
        async (writer) => {
          throw new DryRunEnd(await work(writer))
        },
        // What is undone must take nothing of others with it.
        { isAlone: true },
      )
    } catch (error) {
      if (error instanceof DryRunEnd) return error.result as never
      throw error
    }
  }
