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
import { BulkBar } from '../bulk/bulk-bar.tsx'
import { getBulkKinds } from '../bulk/bulk-operations.ts'
import { applyRowPress, NO_SELECTION, type RowPress, type Selection } from '../bulk/selection.ts'
import type { ListField } from '../list-fields.ts'
import type { ListView } from '../list-view.ts'
import { EmptyList, ListError } from './list-notices.tsx'
import { listPositions } from './list-positions.ts'
import { HeaderRow, Row } from './row.tsx'
import styles from './rows.module.css'
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
  const [position] = useState(() => listPositions.get(listKey))
  const [count, setCount] = useState(position?.total ?? 0)
  const rendered = useRowWindow(body, count, position?.top ?? 0)
  const rows = useRows(collection, query, rendered.range, position)
  const live = useLiveRows(collection.key, rows)
  const { total } = rows
  const [selection, setSelection] = useState<Selection>(NO_SELECTION)
  const [canSelect] = useState(() => getBulkKinds(collection).length > 0)
  const [focused, setFocused] = useState<number>()
  const press = (row: RowPress): void => setSelection((current) => applyRowPress(current, row, rows.idAt))
  useEffect(() => setCount(total ?? 0), [total])
  const arrows = useArrows(body, { count, rendered, rows })
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
      <div className={styles.sideways}>
        <div
          role="table"
          aria-label={collection.label}
          aria-rowcount={count + 1}
          className={`${styles.table} ${canSelect ? styles.selectable : ''}`}
          style={{ '--columns': columns.length, '--tracks': getTracks(columns) } as CSSProperties}
        >
          <HeaderRow view={view} canSelect={canSelect} />
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
            <RenderedRowList
              view={view}
              rendered={rendered}
              rows={rows}
              count={count}
              focused={focused}
              selection={canSelect ? selection : undefined}
              onPress={press}
              onOpen={savePosition}
            />
          </div>
        </div>
      </div>
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

/** Types with short values, which need only narrow columns. */
const NARROW: ReadonlySet<string> = new Set(['number', 'integer', 'boolean'])

/** Returns the widths of the columns after the title. */
const getTracks = (columns: readonly ListField[]): string =>
  columns.map(({ type, many }) => (NARROW.has(type) && !many ? 'minmax(5rem, 0.4fr)' : 'minmax(6.5rem, 1fr)')).join(' ')

interface RenderedRowListProps {
  readonly view: ListView
  readonly rendered: RenderedRows
  readonly rows: LoadedRows
  readonly count: number
  /** The focused row, which is rendered even if it is not visible. */
  readonly focused: number | undefined
  /** `undefined` if rows cannot be selected. */
  readonly selection: Selection | undefined
  readonly onPress: (press: RowPress) => void
  readonly onOpen: (id: string, index: number) => void
}

function RenderedRowList(props: RenderedRowListProps): ReactNode {
  const { view, rendered, rows, count, focused, selection, onPress, onOpen } = props
  const { first, last, shift } = rendered.range
  const visible = Array.from(
    { length: Math.max(0, Math.min(last, count - 1) - first + 1) },
    (_, offset) => first + offset,
  )
  const isOutside = focused !== undefined && focused < count && !visible.includes(focused)
  const indexes = isOutside ? [...visible, focused].sort((a, b) => a - b) : visible
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

type ArrowOptions = Pick<RenderedRowListProps, 'count' | 'rendered' | 'rows'>

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
function useArrows(body: RefObject<HTMLElement | null>, { count, rendered, rows }: ArrowOptions): RowArrows {
  const { move, reset } = useListFocus({
    has: (index) => index >= 0 && index < count,
    find: (index) => body.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`),
    show: rendered.reveal,
    isEmpty: (index) => rows.rowAt(index)?.isRemoved === true,
  })
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const step = [-1, 1][findPressIndex(SHORTCUTS.lists.moveRows, event)]
    const from = findRowIndex(event.target as HTMLElement)
    if (step !== undefined && from !== undefined) move(event, from, step)
  }
  return { onKeyDown, reset }
}
