import { type ReactNode, type RefObject, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { getEntryTitle } from '../../model/studio-model.ts'
import type { ListView } from '../list-view.ts'
import type { RenderedRows } from '../rows/use-row-window.ts'
import type { ListRow, LoadedRows } from '../rows/use-rows.ts'
import { Grip } from './grip.tsx'
import { canMoveRows, type Moves, useMoves } from './use-moves.ts'
import { type DropPlace, type RowDragState, useRowDrag } from './use-row-drag.ts'

export interface RowOrder extends Pick<Moves, 'move' | 'announcement'> {
  readonly dragged: RowDragState | undefined
  readonly renderGrip: (row: ListRow, index: number) => ReactNode
}

interface RowOrderOptions {
  readonly body: RefObject<HTMLElement | null>
  readonly rows: LoadedRows
  readonly rendered: RenderedRows
  readonly count: number
}

/** Returns the ways to order the rows of a list by hand; `undefined` if it has another order, or the user may not change it. */
export function useRowOrder(view: ListView, { body, rows, rendered, count }: RowOrderOptions): RowOrder | undefined {
  const { t } = useTexts()
  const { collection } = view
  const [canMove] = useState(() => canMoveRows(view))
  const { move, moveToEnd, announcement } = useMoves(view, rows, count)
  const drag = useRowDrag({
    body,
    count,
    row: rendered.row,
    shift: rendered.range.shift,
    onDrop: (from, place) => move(from, toRowIndex(from, place)),
  })
  if (!canMove) return undefined
  const texts = t.lists.order
  const renderGrip = ({ item }: ListRow, index: number): ReactNode => (
    <Grip
      index={index}
      drag={drag}
      label={texts.move(getEntryTitle(collection, item) ?? t.lists.untitled)}
      getActions={() => [
        ...(index > 0 ? [{ label: texts.up, run: () => move(index, index - 1) }] : []),
        ...(index < count - 1 ? [{ label: texts.down, run: () => move(index, index + 1) }] : []),
        { label: texts.first, run: () => moveToEnd(index, 'first') },
        { label: texts.last, run: () => moveToEnd(index, 'last') },
      ]}
    />
  )
  return { move, announcement, dragged: drag.state, renderGrip }
}

/** Returns the index of a row after it is dropped; in the middle of another row, it takes the place of that row. */
function toRowIndex(from: number, { index, part }: DropPlace): number {
  if (part === 'on') return index
  const gap = part === 'before' ? index : index + 1
  return gap > from ? gap - 1 : gap
}
