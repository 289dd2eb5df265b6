import { DaybookError } from '@daybook/client'
import { inChunks } from '../media/many-assets.ts'

/** What came of moving files. */
export interface MoveOutcome {
  /** The ids of the files that the service did not move; all others are moved. */
  readonly refused: readonly string[]
  /** Why, of the first one. */
  readonly reason: unknown
}

/** What {@link moveAll} takes. */
export interface Move {
  readonly assets: readonly { readonly id: string }[]
  /** Moves some files, all or none. */
  readonly send: (ids: readonly string[]) => Promise<unknown>
  /** Told how many files have been moved so far. */
  readonly onProgress: (moved: number) => void
}

/**
 * Moves files, many with each request. Those that the service refuses stay where they are, and do not hold up the others.
 *
 * @throws what is wrong with a request itself
 */
export async function moveAll({ assets, send, onProgress }: Move): Promise<MoveOutcome> {
  const refused: string[] = []
  let reason: unknown
  let moved = 0
  await inChunks(assets, async (ids) => {
    let others = ids
    try {
      await send(ids)
    } catch (error) {
      const named = error instanceof DaybookError ? error.details.refused : undefined
      if (!Array.isArray(named) || named.length === 0) throw error
      reason ??= error
      refused.push(...named)
      others = ids.filter((id) => !named.includes(id))
      if (others.length > 0) await send(others)
    }
    moved += others.length
    onProgress(moved)
  })
  return { refused, reason }
}
