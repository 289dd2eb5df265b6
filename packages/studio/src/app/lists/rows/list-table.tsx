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

/** What a {@link ListTable} takes. */
export interface ListTableProps {
  readonly view: ListView
  /** Names the list, for its place. */
  readonly address: string
  /** What a list without entries offers. */
  readonly children: ReactNode
}

/** The rows of a list; only those that are seen are drawn, and only those that are drawn are loaded. */
export function ListTable({ view, address, children }: ListTableProps): ReactNode {
  const { t } = useTexts()
  const { collection, columns, query } = view
  const body = useRef<HTMLDivElement>(null)
  const [place] = useState(() => listPositions.get(address))
  const [count, setCount] = useState(place?.total ?? 0)
  const drawn = useRowWindow(body, count, place?.top ?? 0)
  const rows = useRows(collection, query, drawn.range, place)
  const live = useLiveRows(collection.key, rows)
  const { total } = rows
  const [selection, setSelection] = useState<Selection>(NO_SELECTION)
  const [canSelect] = useState(() => getBulkKinds(collection).length > 0)
  const [focused, setFocused] = useState<number>()
  const press = (row: RowPress): void => setSelection((before) => applyRowPress(before, row, rows.idAt))
  useEffect(() => setCount(total ?? 0), [total])
  const arrows = useArrows(body, { count, drawn, rows })
  useRestoredPosition(body, { address, place, drawn, live, rows })
  const note = (id: string, index: number): void =>
    listPositions.set(address, {
      top: drawn.top(),
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
            drawn.show(0)
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
          style={{ '--columns': columns.length, '--tracks': tracksOf(columns) } as CSSProperties}
        >
          <HeaderRow view={view} canSelect={canSelect} />
          <div
            role="rowgroup"
            ref={body}
            className={styles.body}
            style={{ blockSize: drawn.height || undefined }}
            onKeyDown={arrows.onKeyDown}
            onFocus={({ target }) => setFocused(indexOf(target))}
            onBlur={({ currentTarget, relatedTarget }) => {
              if (currentTarget.contains(relatedTarget)) return
              setFocused(undefined)
              arrows.forget()
            }}
          >
            <span aria-hidden="true" className={styles.probe} />
            <DrawnRowList
              view={view}
              drawn={drawn}
              rows={rows}
              count={count}
              focused={focused}
              selection={canSelect ? selection : undefined}
              onPress={press}
              onOpen={note}
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

/** Types whose values are short, however wide the page is. */
const NARROW: ReadonlySet<string> = new Set(['number', 'integer', 'boolean'])

/** How wide the columns behind the title are. */
const tracksOf = (columns: readonly ListField[]): string =>
  columns.map(({ type, many }) => (NARROW.has(type) && !many ? 'minmax(5rem, 0.4fr)' : 'minmax(6.5rem, 1fr)')).join(' ')

interface DrawnRowListProps {
  readonly view: ListView
  readonly drawn: RenderedRows
  readonly rows: LoadedRows
  readonly count: number
  /** The row that has the focus: it is drawn wherever the page is scrolled. */
  readonly focused: number | undefined
  /** `undefined`: nothing can be done with rows. */
  readonly selection: Selection | undefined
  readonly onPress: (press: RowPress) => void
  readonly onOpen: (id: string, index: number) => void
}

function DrawnRowList(props: DrawnRowListProps): ReactNode {
  const { view, drawn, rows, count, focused, selection, onPress, onOpen } = props
  const { first, last, shift } = drawn.range
  const numbers = Array.from({ length: Math.max(0, Math.min(last, count - 1) - first + 1) }, (_, at) => first + at)
  const isAway = focused !== undefined && focused < count && !numbers.includes(focused)
  const all = isAway ? [...numbers, focused].sort((a, b) => a - b) : numbers
  return all.map((index) => (
    <Row
      key={index}
      view={view}
      index={index}
      offset={index * drawn.row - shift}
      row={rows.rowAt(index)}
      selection={selection}
      onPress={onPress}
      onOpen={(id) => onOpen(id, index)}
    />
  ))
}

/** Says how many entries are new; the list shows them when somebody asks. */
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

type ArrowParts = Pick<DrawnRowListProps, 'count' | 'drawn' | 'rows'>

interface RowArrows {
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void
  /** Told that the focus has left the rows. */
  readonly forget: () => void
}

/** The number of the row that an element is in. */
function indexOf(element: HTMLElement): number | undefined {
  const row = element.closest<HTMLElement>('[data-index]')
  return row ? Number(row.dataset.index) : undefined
}

/** Up and down go from row to row. */
function useArrows(body: RefObject<HTMLElement | null>, { count, drawn, rows }: ArrowParts): RowArrows {
  const { move, reset: forget } = useListFocus({
    has: (index) => index >= 0 && index < count,
    find: (index) => body.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`),
    show: drawn.reveal,
    isEmpty: (index) => rows.rowAt(index)?.isRemoved === true,
  })
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const step = [-1, 1][findPressIndex(SHORTCUTS.lists.moveRows, event)]
    const from = indexOf(event.target as HTMLElement)
    if (step !== undefined && from !== undefined) move(event, from, step)
  }
  return { onKeyDown, forget }
}
