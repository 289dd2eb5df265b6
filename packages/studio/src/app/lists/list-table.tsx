import { Link } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { type StudioCollection, titleOf } from '../model/studio-model.ts'
import type { ListItem } from '../talk/live.ts'
import { Badge } from '../ui/badge.tsx'
import styles from './list.module.css'
import { listPlaces } from './list-places.ts'
import type { LoadedList } from './use-list.ts'

/** What a {@link ListTable} takes. */
export interface ListTableProps {
  readonly list: LoadedList
  readonly collection: StudioCollection
  /** Of the list, for its place. */
  readonly address: string
}

/** How many rows beyond those that are seen are drawn, and how near the end the next page is asked for. */
const OVERSCAN = 8
/** The height of a row until it is measured, in pixels. */
const ROW_PX = 48

/** The rows of a list; only those that are seen are drawn. */
export function ListTable({ list, collection, address }: ListTableProps): ReactNode {
  const { t } = useTexts()
  const { items, total, loadMore } = list
  const body = useRef<HTMLDivElement>(null)
  const [place] = useState(() => listPlaces.get(address))
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => body.current?.closest('main') ?? null,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    initialOffset: place?.offset ?? 0,
    scrollMargin: body.current?.offsetTop ?? 0,
  })
  const drawn = rows.getVirtualItems()
  const last = drawn.at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= items.length - OVERSCAN) loadMore()
  }, [last, items.length, loadMore])
  useReturn(body, address, place?.opened)
  const note = (opened: string): void => listPlaces.set(address, { offset: rows.scrollElement?.scrollTop ?? 0, opened })
  return (
    <div role="table" aria-rowcount={(total ?? items.length) + 1} className={styles.table}>
      <div role="rowgroup">
        <div role="row" aria-rowindex={1} className={`${styles.row} ${styles.header}`}>
          <span role="columnheader">{t.lists.title}</span>
          {collection.statusField !== null && <span role="columnheader">{t.lists.status}</span>}
          <span role="columnheader">{t.lists.updated}</span>
        </div>
      </div>
      <div
        role="rowgroup"
        ref={body}
        className={styles.body}
        style={{ blockSize: rows.getTotalSize() }}
        onKeyDown={moveByArrows}
      >
        {drawn.map(({ index, start }) => {
          const item = items[index]
          return (
            item && (
              <div
                key={item.id}
                role="row"
                aria-rowindex={index + 2}
                data-index={index}
                ref={rows.measureElement}
                className={styles.row}
                style={{ transform: `translateY(${start - rows.options.scrollMargin}px)` }}
              >
                <RowCells item={item} collection={collection} onOpen={() => note(item.id)} />
              </div>
            )
          )
        })}
      </div>
    </div>
  )
}

/** Brings the focus back to the entry that was opened from here, once its row is drawn. */
function useReturn(body: { readonly current: HTMLElement | null }, address: string, opened: string | undefined): void {
  const isDone = useRef(opened === undefined)
  useEffect(() => {
    if (isDone.current) return
    const link = body.current?.querySelector<HTMLElement>(`a[data-entry="${CSS.escape(opened ?? '')}"]`)
    if (!link) return
    isDone.current = true
    link.focus({ preventScroll: true })
    listPlaces.set(address, { offset: 0, opened: undefined })
  })
}

/** Up and down go from row to row. */
function moveByArrows(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const row = (event.target as HTMLElement).closest<HTMLElement>('[data-index]')
  if (step === undefined || !row) return
  const next = event.currentTarget.querySelector<HTMLElement>(`[data-index="${Number(row.dataset.index) + step}"] a`)
  if (!next) return
  event.preventDefault()
  next.focus()
}

interface RowCellsProps {
  readonly item: ListItem
  readonly collection: StudioCollection
  readonly onOpen: () => void
}

function RowCells({ item, collection, onOpen }: RowCellsProps): ReactNode {
  const { t, formats } = useTexts()
  const { key, statusField } = collection
  const title = titleOf(collection, item)
  const updated = typeof item.updatedAt === 'string' ? item.updatedAt : undefined
  return (
    <>
      <span role="cell" className={styles.title}>
        <Link
          to="/c/$collection/$id"
          params={{ collection: key, id: item.id }}
          data-entry={item.id}
          onClick={onOpen}
          className={styles.open}
          dir="auto"
        >
          {title ?? t.lists.untitled}
        </Link>
      </span>
      {statusField !== null && (
        <span role="cell" className={styles.status}>
          <Status value={item[statusField]} />
          {item.hasDraft === true && <Badge tone="waiting">{t.lists.hasDraft}</Badge>}
        </span>
      )}
      <span role="cell" className={styles.updated}>
        {updated !== undefined && (
          <time dateTime={updated} title={formats.moment(updated)}>
            {formats.ago(updated)}
          </time>
        )}
      </span>
    </>
  )
}

const Status = ({ value }: { readonly value: unknown }): ReactNode =>
  typeof value === 'string' && <Badge tone={value === 'published' ? 'good' : 'neutral'}>{value}</Badge>
