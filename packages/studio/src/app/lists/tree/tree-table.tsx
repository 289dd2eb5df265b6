import { type CSSProperties, lazy, type ReactNode, type RefObject, Suspense, useEffect, useRef, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { getEntryTitle } from '../../model/studio-model.ts'
import { LoadingPlaceholder } from '../../ui/loading-placeholder.tsx'
import unseen from '../../ui/visually-hidden.module.css'
import { layOutColumns, useColumnWidths } from '../columns/column-widths.ts'
import type { ListView } from '../list-view.ts'
import { DropLine } from '../order/drop-line.tsx'
import { Grip, type GripAction } from '../order/grip.tsx'
import { useRowDrag } from '../order/use-row-drag.ts'
import { HeaderRow } from '../rows/header-row.tsx'
import { EmptyList, ListError } from '../rows/list-notices.tsx'
import styles from '../rows/rows.module.css'
import { SidewaysScroll } from '../rows/sideways-scroll.tsx'
import { useRowWindow } from '../rows/use-row-window.ts'
import { MoreRow, TreeEntryRow } from './tree-row.tsx'
import type { EntryTreeRow, TreeRow } from './tree-rows.ts'
import { useTree } from './use-tree.ts'
import { useTreeKeys } from './use-tree-keys.ts'
import { canMoveInTree, STEPS, type TreeMoves, useTreeMoves } from './use-tree-moves.ts'

const MoveDialog = lazy(() => import('./move-dialog.tsx'))

export interface TreeTableProps {
  readonly view: ListView
  /** Shown if the list is empty. */
  readonly children: ReactNode
}

const NO_ROWS: readonly TreeRow[] = []

/** The entries of a collection below their parents. Only visible rows are rendered, and only what is opened is loaded. */
export default function TreeTable({ view, children }: TreeTableProps): ReactNode {
  const { t } = useTexts()
  const { collection, columns } = view
  const body = useRef<HTMLDivElement>(null)
  const tree = useTree(view)
  const rows = tree.rows ?? NO_ROWS
  const rendered = useRowWindow(body, rows.length, 0)
  const widths = useColumnWidths(view)
  const layout = layOutColumns(columns, widths)
  const focus = useFocusedEntry(body, rows, rendered.reveal)
  const moves = useTreeMoves(view, tree, focus.set)
  const [moved, setMoved] = useState<EntryTreeRow>()
  const canMove = canMoveInTree(view)
  const drag = useRowDrag({
    body,
    count: rows.length,
    row: rendered.row,
    shift: rendered.range.shift,
    onDrop: moves.drop,
  })
  const onKeyDown = useTreeKeys({ body, rows, tree, moves: canMove ? moves : undefined, reveal: rendered.reveal })
  if (tree.error && tree.rows === undefined)
    return <ListError view={view} error={tree.error} onRetry={() => void tree.reload()} />
  if (tree.rows?.length === 0) return <EmptyList view={view}>{children}</EmptyList>
  const { first, last, shift } = rendered.range
  const dragged = drag.state?.from
  const indexes = rows.flatMap((row, index) =>
    (index >= first && index <= last) || row.id === focus.current || index === dragged ? [index] : [],
  )
  return (
    <div className={styles.list}>
      <div
        role="treegrid"
        aria-label={collection.label}
        aria-rowcount={rows.length + 1}
        className={`${styles.table} ${canMove ? styles.movable : ''}`}
        style={{ '--columns': columns.length, '--tracks': layout.tracks, '--min': layout.min } as CSSProperties}
      >
        <SidewaysScroll
          head={<HeaderRow view={view} widths={widths} hasGrips={canMove} selected={undefined} onSelect={() => {}} />}
        >
          <div
            role="rowgroup"
            ref={body}
            className={styles.body}
            style={{ blockSize: rendered.height || undefined }}
            onKeyDown={onKeyDown}
            onFocus={({ target }) => focus.note(target.closest<HTMLElement>('[data-row]')?.dataset.row)}
          >
            <span aria-hidden="true" className={styles.probe} />
            {drag.state && <DropLine place={drag.state.place} rendered={rendered} />}
            {indexes.map((index) => {
              const row = rows[index]
              const offset = index * rendered.row - shift
              if (row?.kind === 'more')
                return (
                  <MoreRow
                    key={row.id}
                    row={row}
                    index={index}
                    offset={offset}
                    onLoad={() => tree.loadMore(row.parent)}
                  />
                )
              return (
                row && (
                  <TreeEntryRow
                    key={row.id}
                    view={view}
                    row={row}
                    index={index}
                    offset={offset}
                    isDragged={index === dragged}
                    onToggle={() => tree.setOpen(row.id, !row.isOpen)}
                    grip={
                      canMove ? (
                        <Grip
                          index={index}
                          drag={drag}
                          label={t.lists.order.move(getEntryTitle(collection, row.item) ?? t.lists.untitled)}
                          getActions={() => listActions(row, moves, t.lists.order, () => setMoved(row))}
                        />
                      ) : undefined
                    }
                  />
                )
              )
            })}
          </div>
        </SidewaysScroll>
      </div>
      <p role="status" className={unseen.unseen}>
        {moves.announcement}
      </p>
      {tree.rows === undefined && <LoadingPlaceholder label={t.common.loading} lines={8} />}
      {moved && (
        <Suspense>
          <MoveDialog
            view={view}
            row={moved}
            onMove={(place) => moves.moveTo(moved, place)}
            onClose={() => setMoved(undefined)}
          />
        </Suspense>
      )}
    </div>
  )
}

function listActions(
  row: EntryTreeRow,
  { findStep, moveTo }: TreeMoves,
  texts: ReturnType<typeof useTexts>['t']['lists']['order'],
  onChoose: () => void,
): readonly GripAction[] {
  const steps = STEPS.flatMap((step) => {
    const place = findStep(row, step)
    return place ? [{ label: texts[step], run: () => moveTo(row, place) }] : []
  })
  const root = row.parent === null ? [] : [{ label: texts.toRoot, run: () => moveTo(row, { parent: null }) }]
  return [...steps, ...root, { label: texts.choose, run: onChoose }]
}

interface FocusedEntry {
  /** The id of the row that has the focus, or had it last; it is always rendered. */
  readonly current: string | undefined
  readonly note: (id: string | undefined) => void
  /** Focuses a row as soon as it is rendered. */
  readonly set: (id: string) => void
}

/** Keeps the focus on an entry that moves. */
function useFocusedEntry(
  body: RefObject<HTMLElement | null>,
  rows: readonly TreeRow[],
  reveal: (index: number) => void,
): FocusedEntry {
  const [current, note] = useState<string>()
  const target = useRef<string>(undefined)
  useEffect(() => {
    const { current: id } = target
    if (id === undefined) return
    const index = rows.findIndex((row) => row.id === id)
    const link = body.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"] a`)
    if (link) {
      target.current = undefined
      link.focus()
    } else if (index >= 0) reveal(index)
  })
  const set = (id: string): void => {
    target.current = id
    note(id)
  }
  return { current, note, set }
}
