import { useMemo, useState } from 'react'

/** Lists with more items than this begin folded. */
const MOST_UNFOLDED = 20

/** Which items are folded. */
export interface FoldState {
  isFolded(id: string): boolean
  /** Whether no item is folded. */
  readonly isAllUnfolded: boolean
}

/** What changes which items are folded; the same object as long as the list is there. */
export interface FoldActions {
  set(id: string, isFolded: boolean): void
  setAll(isFolded: boolean): void
}

interface Folds {
  readonly isFolded: boolean
  /** Those that are otherwise. */
  readonly except: ReadonlySet<string>
}

/** Keeps which items are folded: all of a long list at first, but the one that is looked for. */
export function useFoldState(count: number, unfolded: () => string | undefined): readonly [FoldState, FoldActions] {
  const [folds, setFolds] = useState<Folds>(() => {
    const isFolded = count > MOST_UNFOLDED
    const open = isFolded ? unfolded() : undefined
    return { isFolded, except: new Set(open === undefined ? [] : [open]) }
  })
  const state = useMemo<FoldState>(
    () => ({
      isFolded: (id) => folds.isFolded !== folds.except.has(id),
      isAllUnfolded: !folds.isFolded && folds.except.size === 0,
    }),
    [folds],
  )
  const changes = useMemo<FoldActions>(
    () => ({
      set: (id, isFolded) => setFolds((before) => withItem(before, id, isFolded)),
      setAll: (isFolded) => setFolds({ isFolded, except: new Set() }),
    }),
    [],
  )
  return [state, changes]
}

function withItem({ isFolded: usual, except }: Folds, id: string, isFolded: boolean): Folds {
  const others = [...except].filter((one) => one !== id)
  return { isFolded: usual, except: new Set(isFolded === usual ? others : [...others, id]) }
}
