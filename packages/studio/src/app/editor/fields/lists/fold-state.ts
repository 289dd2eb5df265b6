import { useMemo, useState } from 'react'

/** Lists with more items than this are folded at first. */
const MAX_UNFOLDED = 20

export interface FoldState {
  isFolded(id: string): boolean
  readonly isAllUnfolded: boolean
}

/** Folds and unfolds items. It stays the same object while the list is mounted. */
export interface FoldActions {
  set(id: string, isFolded: boolean): void
  setAll(isFolded: boolean): void
}

interface Folds {
  readonly isFolded: boolean
  /** The ids of items in the opposite state. */
  readonly except: ReadonlySet<string>
}

/** Keeps the folded items: at first all of a long list, except the one in the URL. */
export function useFoldState(count: number, findUnfolded: () => string | undefined): readonly [FoldState, FoldActions] {
  const [folds, setFolds] = useState<Folds>(() => {
    const isFolded = count > MAX_UNFOLDED
    const unfolded = isFolded ? findUnfolded() : undefined
    return { isFolded, except: new Set(unfolded === undefined ? [] : [unfolded]) }
  })
  const state = useMemo<FoldState>(
    () => ({
      isFolded: (id) => folds.isFolded !== folds.except.has(id),
      isAllUnfolded: !folds.isFolded && folds.except.size === 0,
    }),
    [folds],
  )
  const actions = useMemo<FoldActions>(
    () => ({
      set: (id, isFolded) => setFolds((before) => setItem(before, id, isFolded)),
      setAll: (isFolded) => setFolds({ isFolded, except: new Set() }),
    }),
    [],
  )
  return [state, actions]
}

function setItem(folds: Folds, id: string, isFolded: boolean): Folds {
  const except = [...folds.except].filter((exceptId) => exceptId !== id)
  return { ...folds, except: new Set(isFolded === folds.isFolded ? except : [...except, id]) }
}
