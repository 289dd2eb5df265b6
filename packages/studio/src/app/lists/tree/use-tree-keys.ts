import type { KeyboardEvent, RefObject } from 'react'
import { findPressIndex, SHORTCUTS } from '../../ui/shortcuts.ts'
import { useListFocus } from '../../ui/use-list-focus.ts'
import { type EntryTreeRow, findRow, type TreeRow } from './tree-rows.ts'
import type { Tree } from './use-tree.ts'
import { STEPS, type TreeMoves } from './use-tree-moves.ts'

interface TreeKeyOptions {
  readonly body: RefObject<HTMLElement | null>
  readonly rows: readonly TreeRow[]
  readonly tree: Tree
  /** `undefined` if entries cannot be moved. */
  readonly moves: TreeMoves | undefined
  readonly reveal: (index: number) => void
}

const OPEN_KEYS = ['ArrowLeft', 'ArrowRight']

/** The keys of a tree: arrows go through it, open and close entries, and with Alt move the entry. */
export function useTreeKeys(options: TreeKeyOptions): (event: KeyboardEvent<HTMLElement>) => void {
  const { body, rows, tree, moves, reveal } = options
  const { move } = useListFocus({
    has: (index) => index >= 0 && index < rows.length,
    find: (index) => body.current?.querySelector<HTMLElement>(`[data-index="${index}"] :is(a, [data-more])`),
    show: reveal,
  })
  const moveEntry = (event: KeyboardEvent<HTMLElement>, row: EntryTreeRow): boolean => {
    const step = STEPS[findPressIndex(SHORTCUTS.lists.moveInTree, event)]
    if (step === undefined) return false
    // Alt with an arrow would leave the page.
    event.preventDefault()
    const place = moves?.findStep(row, step)
    if (place) moves?.moveTo(row, place)
    return true
  }
  const openOrGo = (event: KeyboardEvent<HTMLElement>, row: EntryTreeRow, index: number): void => {
    const side = findPressIndex(OPEN_KEYS, event)
    if (side < 0) return
    event.preventDefault()
    const isForward = side === 1
    if (isForward === row.isOpen) {
      const target = isForward ? index + 1 : rows.indexOf(findRow(rows, row.parent) ?? row)
      move(event, index, target - index)
    } else if (row.childCount > 0) tree.setOpen(row.id, isForward)
  }
  return (event) => {
    const target = event.target as HTMLElement
    const id = target.closest<HTMLElement>('[data-row]')?.dataset.row
    const index = rows.findIndex((row) => row.id === id)
    const row = rows[index]
    if (!row || (row.kind === 'entry' && moveEntry(event, row))) return
    const distance = findDistance(event, index, rows.length)
    if (distance !== undefined) move(event, index, distance)
    else if (row.kind === 'entry' && target.matches('a')) openOrGo(event, row, index)
  }
}

/** Returns the number of rows by which a key moves the focus; `undefined` for another key. */
function findDistance(event: KeyboardEvent, index: number, count: number): number | undefined {
  const step = [-1, 1][findPressIndex(SHORTCUTS.lists.moveRows, event)]
  return step ?? [-index, count - 1 - index][findPressIndex(['Home', 'End'], event)]
}
