import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { LoadingPlaceholder } from '../../ui/loading-placeholder.tsx'
import { findPressIndex, SHORTCUTS } from '../../ui/shortcuts.ts'
import { useListFocus } from '../../ui/use-list-focus.ts'
import unseen from '../../ui/visually-hidden.module.css'
import { BulkBar } from '../bulk/bulk-bar.tsx'
import { getBulkKinds } from '../bulk/bulk-operations.ts'
import { applyRowPress, getSelectedPart, NO_SELECTION, type RowPress, type Selection } from '../bulk/selection.ts'
import { layOutColumns, useColumnWidths } from '../columns/column-widths.ts'
import type { ListView } from '../list-view.ts'
import { DropLine } from '../order/drop-line.tsx'
import { useRowOrder } from '../order/use-row-order.tsx'
import { HeaderRow } from './header-row.tsx'
import { EmptyList, ListError } from './list-notices.tsx'
import { listPositions } from './list-positions.ts'
import { Row, type RowProps } from './row.tsx'
import styles from './rows.module.css'
import { SidewaysScroll } from './sideways-scroll.tsx'
import { type LiveRows, useLiveRows } from './use-live-rows.ts'
import { useRestoredPosition } from './use-restored-position.ts'
import { type RenderedRows, useRowWindow } from './use-row-window.ts'
import { type LoadedRows, useRows } from './use-rows.ts'

export interface ListTableProps {
  readonly view: ListView
  /** Identifies the list with its search, to restore its position. */
  readonly listKey: string
  /** Shown if the list is empty. */
  readonly children: ReactNode
}

/** The rows of a list, of which only visible ones are rendered and loaded. */
export function ListTable({ view, listKey, children }: ListTableProps): ReactNode {
  const { t } = useTexts()
  const { collection, columns, query } = view
  const body = useRef<HTMLDivElement>(null)
  const widths = useColumnWidths(view)
  const layout = layOutColumns(columns, widths)
  const [position] = useState(() => listPositions.get(listKey))
  const [count, setCount] = useState(position?.total ?? 0)
  const rendered = useRowWindow(body, count, position?.top ?? 0)
  const rows = useRows(collection, query, rendered.range, position)
  const live = useLiveRows(collection.key, rows)
  const { total } = rows
  const [selection, setSelection] = useState<Selection>(NO_SELECTION)
  const [canSelect] = useState(() => getBulkKinds(collection).length > 0)
  const [focused, setFocused] = useState<number>()
  const order = useRowOrder(view, { body, rows, rendered, count })
  const press = (row: RowPress): void => setSelection((current) => applyRowPress(current, row, rows.idAt))
  useEffect(() => setCount(total ?? 0), [total])
  const arrows = useArrows(body, { count, rendered, rows, onMove: order?.move })
  useRestoredPosition(body, { listKey, position, rendered, live, rows })
  const savePosition = (id: string, index: number): void =>
    listPositions.set(listKey, {
      top: rendered.top(),
      total: total ?? 0,
      opened: { id, index },
      page: rows.getPage(index),
    })
  if (rows.error && total === undefined) return <ListError view={view} error={rows.error} onRetry={rows.retry} />
  if (total === 0) return <EmptyList view={view}>{children}</EmptyList>
  return (
    <div className={styles.list}>
      <div className={styles.state}>
        <p role="status">{total !== undefined && t.lists.entries(Math.max(0, total - live.removed))}</p>
        <NewRows
          live={live}
          onShow={() => {
            rendered.show(0)
            view.reload()
          }}
        />
      </div>
      <div
        role="table"
        aria-label={collection.label}
        aria-rowcount={count + 1}
        className={`${styles.table} ${canSelect ? styles.selectable : ''} ${order ? styles.movable : ''}`}
        style={{ '--columns': columns.length, '--tracks': layout.tracks, '--min': layout.min } as CSSProperties}
      >
        <SidewaysScroll
          head={
            <HeaderRow
              view={view}
              widths={widths}
              hasGrips={order !== undefined}
              selected={canSelect ? getSelectedPart(selection, rows.loadedIds()) : undefined}
              onSelect={(isSelected) =>
                setSelection(isSelected ? { ...NO_SELECTION, ids: new Set(rows.loadedIds()) } : NO_SELECTION)
              }
            />
          }
        >
          <div
            role="rowgroup"
            ref={body}
            className={styles.body}
            style={{ blockSize: rendered.height || undefined }}
            onKeyDown={arrows.onKeyDown}
            onFocus={({ target }) => setFocused(findRowIndex(target))}
            onBlur={({ currentTarget, relatedTarget }) => {
              if (currentTarget.contains(relatedTarget)) return
              setFocused(undefined)
              arrows.reset()
            }}
          >
            <span aria-hidden="true" className={styles.probe} />
            {order?.dragged && <DropLine place={order.dragged.place} rendered={rendered} />}
            <RenderedRowList
              view={view}
              rendered={rendered}
              rows={rows}
              count={count}
              kept={[focused, order?.dragged?.from].filter((index) => index !== undefined)}
              dragged={order?.dragged?.from}
              selection={canSelect ? selection : undefined}
              onPress={press}
              onOpen={savePosition}
              grip={order?.renderGrip}
            />
          </div>
        </SidewaysScroll>
      </div>
      <p role="status" className={unseen.unseen}>
        {order?.announcement}
      </p>
      {total !== undefined && (
        <BulkBar
          view={view}
          selection={selection}
          total={total}
          onSelectAll={() => setSelection({ ...NO_SELECTION, isAll: true })}
          onClear={() => setSelection(NO_SELECTION)}
        />
      )}
      {total === undefined && <LoadingPlaceholder label={t.common.loading} lines={8} />}
      {rows.error !== undefined && rows.error !== null && total !== undefined && (
        <div role="alert" className={styles.broken}>
          <span>{t.lists.notLoaded}</span>
          <Button onPress={rows.retry}>{t.common.retry}</Button>
        </div>
      )}
    </div>
  )
}

interface RenderedRowListProps {
  readonly view: ListView
  readonly rendered: RenderedRows
  readonly rows: LoadedRows
  readonly count: number
  /** The focused row and the dragged one, which are rendered even if they are not visible. */
  readonly kept: readonly number[]
  readonly dragged: number | undefined
  /** `undefined` if rows cannot be selected. */
  readonly selection: Selection | undefined
  readonly onPress: (press: RowPress) => void
  readonly onOpen: (id: string, index: number) => void
  readonly grip: RowProps['grip']
}

function RenderedRowList(props: RenderedRowListProps): ReactNode {
  const { view, rendered, rows, count, kept, dragged, selection, onPress, onOpen, grip } = props
  const { first, last, shift } = rendered.range
  const visible = Array.from(
    { length: Math.max(0, Math.min(last, count - 1) - first + 1) },
    (_, offset) => first + offset,
  )
  const outside = kept.filter((index) => index < count && !visible.includes(index))
  const indexes = outside.length > 0 ? [...new Set([...visible, ...outside])].sort((a, b) => a - b) : visible
  return indexes.map((index) => (
    <Row
      key={index}
      view={view}
      index={index}
      offset={index * rendered.row - shift}
      row={rows.rowAt(index)}
      selection={selection}
      onPress={onPress}
      onOpen={(id) => onOpen(id, index)}
      grip={grip}
      isDragged={index === dragged}
    />
  ))
}

/** Announces new entries, and shows them on demand. */
function NewRows({ live, onShow }: { readonly live: LiveRows; readonly onShow: () => void }): ReactNode {
  const { t } = useTexts()
  return (
    <div role="status">
      {live.added > 0 && (
        <Button icon="up" onPress={onShow}>
          {t.lists.showNew(live.added)}
        </Button>
      )}
    </div>
  )
}

interface ArrowOptions extends Pick<RenderedRowListProps, 'count' | 'rendered' | 'rows'> {
  /** Moves a row; `undefined` if rows cannot be moved. */
  readonly onMove: ((from: number, to: number) => void) | undefined
}

interface RowArrows {
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void
  /** Called when the focus leaves the rows. */
  readonly reset: () => void
}

function findRowIndex(element: HTMLElement): number | undefined {
  const row = element.closest<HTMLElement>('[data-index]')
  return row ? Number(row.dataset.index) : undefined
}

/** Moves the focus between rows by the up and down arrows. */
function useArrows(body: RefObject<HTMLElement | null>, { count, rendered, rows, onMove }: ArrowOptions): RowArrows {
  const { move, reset } = useListFocus({
    has: (index) => index >= 0 && index < count,
    find: (index) => body.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`),
    show: rendered.reveal,
    isEmpty: (index) => rows.rowAt(index)?.isRemoved === true,
  })
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const from = findRowIndex(event.target as HTMLElement)
    const distance = [-1, 1][findPressIndex(SHORTCUTS.lists.moveEntry, event)]
    if (onMove && distance !== undefined && from !== undefined) {
      onMove(from, from + distance)
      move(event, from, distance)
      return
    }
    const step = [-1, 1][findPressIndex(SHORTCUTS.lists.moveRows, event)]
    if (step !== undefined && from !== undefined) move(event, from, step)
  }
  return { onKeyDown, reset }
}
