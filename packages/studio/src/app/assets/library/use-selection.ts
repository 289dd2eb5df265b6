import { useMemo, useState } from 'react'
import type { Asset } from '../media/asset.ts'

/** Files that are chosen among those of a list. */
export interface Selection {
  /** Those that are still in the list. */
  readonly assets: readonly Asset[]
  has(id: string): boolean
  /** Chooses a file, or no more; as a range, everything since the last one that was. */
  tick(index: number, isTicked: boolean, isRange: boolean): void
  /** Chooses all that are loaded. */
  all(): void
  clear(): void
}

const NONE: ReadonlySet<string> = new Set()

/** Keeps which files of a list are chosen. */
export function useSelection(items: readonly Asset[]): Selection {
  const [chosen, setChosen] = useState(NONE)
  const [last, setLast] = useState<number>()
  return useMemo(
    () => ({
      assets: chosen.size === 0 ? [] : items.filter(({ id }) => chosen.has(id)),
      has: (id) => chosen.has(id),
      tick(index, isTicked, isRange) {
        const from = isRange && last !== undefined ? last : index
        const range = items.slice(Math.min(from, index), Math.max(from, index) + 1)
        const next = new Set(chosen)
        for (const { id } of range) isTicked ? next.add(id) : next.delete(id)
        setChosen(next)
        setLast(index)
      },
      all: () => setChosen(new Set(items.map(({ id }) => id))),
      clear: () => setChosen(NONE),
    }),
    [items, chosen, last],
  )
}
