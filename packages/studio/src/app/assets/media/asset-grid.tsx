import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { type DOMAttributes, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useListFocus } from '../../ui/use-list-focus.ts'
import type { Asset } from './asset.ts'
import styles from './asset-grid.module.css'
import type { LoadedAssets } from './use-assets.ts'

/** What an {@link AssetGrid} takes. */
export interface AssetGridProps {
  readonly label: string
  readonly list: LoadedAssets
  /** Whether each file is a row of its own. */
  readonly isList: boolean
  /** Draws one file. Arrow keys go from one element with `data-stop` to the next. */
  readonly renderAsset: (asset: Asset, index: number) => ReactNode
  /** How far it is scrolled at first, in pixels. @default 0 */
  readonly initialOffset?: number
  /** Told how far it is scrolled when something in it is clicked. */
  readonly onLeave?: (offset: number) => void
}

/** The least width of a card, and the heights of cards and rows until they are measured, in pixels. */
const CARD_PX = 168
const CARD_HEIGHT_PX = 216
const ROW_PX = 56
/** How many lines beyond those that are seen are drawn, and how near the end the next page is asked for. */
const OVERSCAN = 4

/** Files as cards or as rows; only those that are seen are drawn, however many there are. */
export function AssetGrid(props: AssetGridProps): ReactNode {
  const { label, list, isList, renderAsset: draw, initialOffset = 0, onLeave } = props
  const { items, total, loadMore } = list
  const body = useRef<HTMLDivElement>(null)
  const columns = useColumns(body, isList)
  const lines = useVirtualizer({
    count: Math.ceil(items.length / columns),
    getScrollElement: () => body.current?.closest<HTMLElement>('[data-scrolls], main') ?? null,
    estimateSize: () => (isList ? ROW_PX : CARD_HEIGHT_PX),
    overscan: OVERSCAN,
    scrollMargin: body.current?.offsetTop ?? 0,
  })
  useEffect(() => {
    // Cards of another width have other heights.
    if (columns > 0) lines.measure()
  }, [columns, lines])
  useReturn(lines.scrollElement, initialOffset)
  const arrows = useArrows({ body, lines, columns, list })
  const drawn = lines.getVirtualItems()
  const last = ((drawn.at(-1)?.index ?? 0) + OVERSCAN) * columns
  useEffect(() => {
    if (last >= items.length) loadMore()
  }, [last, items.length, loadMore])
  return (
    <div
      ref={body}
      role="list"
      aria-label={label}
      className={styles.body}
      style={{ blockSize: lines.getTotalSize() }}
      onClickCapture={() => onLeave?.(lines.scrollElement?.scrollTop ?? 0)}
      {...arrows}
    >
      {drawn.map(({ index: line, start }) => (
        <div
          key={line}
          role="presentation"
          data-index={line}
          ref={lines.measureElement}
          className={styles.line}
          style={{
            transform: `translateY(${start - lines.options.scrollMargin}px)`,
            gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          }}
        >
          {items.slice(line * columns, (line + 1) * columns).map((asset, at) => {
            const index = line * columns + at
            return (
              <div
                key={asset.id}
                role="listitem"
                aria-posinset={index + 1}
                aria-setsize={total ?? items.length}
                data-asset={index}
                className={styles.item}
              >
                {draw(asset, index)}
              </div>
            )
          })}
        </div>
      ))}
    </div>
  )
}

interface ArrowParts extends Pick<AssetGridProps, 'list'> {
  readonly body: RefObject<HTMLElement | null>
  readonly lines: Virtualizer<HTMLElement, Element>
  readonly columns: number
}

/** How many cards fit beside each other. */
function useColumns(body: { readonly current: HTMLElement | null }, isList: boolean): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = body.current
    if (!element) return
    setWidth(element.clientWidth)
    const watch = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0))
    watch.observe(element)
    return () => watch.disconnect()
  }, [body])
  return isList ? 1 : Math.max(2, Math.floor(width / CARD_PX))
}

/** Scrolls to where somebody was, after the page has come to its top as every page does. */
function useReturn(element: Element | null, offset: number): void {
  const isDone = useRef(offset === 0)
  useEffect(() => {
    if (isDone.current || !element) return
    const frame = requestAnimationFrame(() => {
      isDone.current = true
      element.scrollTop = offset
    })
    return () => cancelAnimationFrame(frame)
  }, [element, offset])
}

/** Arrow keys go from file to file. */
function useArrows({ body, lines, columns, list }: ArrowParts): Pick<DOMAttributes<Element>, 'onKeyDown' | 'onBlur'> {
  const { count } = lines.options
  const { move, reset: forget } = useListFocus({
    has: (index) => index >= 0 && index < (list.total ?? list.items.length),
    find: (index) => body.current?.querySelector<HTMLElement>(`[data-asset="${index}"] [data-stop]`),
    show: (index) => lines.scrollToIndex(Math.min(Math.floor(index / columns), count - 1)),
  })
  return {
    onKeyDown: (event) => {
      const target = event.target as HTMLElement
      const item = target.closest<HTMLElement>('[data-asset]')
      const step = { ArrowDown: columns, ArrowUp: -columns, ArrowRight: 1, ArrowLeft: -1 }[event.key]
      if (step !== undefined && item && target.matches('[data-stop]')) move(event, Number(item.dataset.asset), step)
    },
    onBlur: forget,
  }
}
