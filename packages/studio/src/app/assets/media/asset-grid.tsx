import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { type DOMAttributes, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useListFocus } from '../../ui/use-list-focus.ts'
import type { Asset } from './asset.ts'
import styles from './asset-grid.module.css'
import type { LoadedAssets } from './use-assets.ts'

export interface AssetGridProps {
  readonly label: string
  readonly list: LoadedAssets
  readonly isList: boolean
  /** Renders a file. Arrow keys move between elements with `data-stop`. */
  readonly renderAsset: (asset: Asset, index: number) => ReactNode
  /** The initial scroll position, in pixels. @default 0 */
  readonly initialOffset?: number
  /** Called with the scroll position when something is clicked. */
  readonly onLeave?: (offset: number) => void
}

/** The minimum width of a card, in pixels. */
const CARD_PX = 168
/** The heights of cards and rows until they are measured, in pixels. */
const CARD_HEIGHT_PX = 216
const ROW_PX = 56
/** The number of lines rendered outside the viewport, also the distance to the end at which more files are loaded. */
const OVERSCAN = 4

/** Files as cards or rows, of which only visible ones are rendered. */
export function AssetGrid(props: AssetGridProps): ReactNode {
  const { label, list, isList, renderAsset, initialOffset = 0, onLeave } = props
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
    // The height of a card depends on its width.
    if (columns > 0) lines.measure()
  }, [columns, lines])
  useRestoredScroll(lines.scrollElement, initialOffset)
  const arrows = useArrows({ body, lines, columns, list })
  const visibleLines = lines.getVirtualItems()
  const last = ((visibleLines.at(-1)?.index ?? 0) + OVERSCAN) * columns
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
      {visibleLines.map(({ index: line, start }) => (
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
          {items.slice(line * columns, (line + 1) * columns).map((asset, column) => {
            const index = line * columns + column
            return (
              <div
                key={asset.id}
                role="listitem"
                aria-posinset={index + 1}
                aria-setsize={total ?? items.length}
                data-asset={index}
                className={styles.item}
              >
                {renderAsset(asset, index)}
              </div>
            )
          })}
        </div>
      ))}
    </div>
  )
}

interface ArrowOptions extends Pick<AssetGridProps, 'list'> {
  readonly body: RefObject<HTMLElement | null>
  readonly lines: Virtualizer<HTMLElement, Element>
  readonly columns: number
}

function useColumns(body: { readonly current: HTMLElement | null }, isList: boolean): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = body.current
    if (!element) return
    setWidth(element.clientWidth)
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0))
    observer.observe(element)
    return () => observer.disconnect()
  }, [body])
  return isList ? 1 : Math.max(2, Math.floor(width / CARD_PX))
}

/** Restores a scroll position after the router has scrolled to the top. */
function useRestoredScroll(element: Element | null, offset: number): void {
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

/** Moves the focus between files by arrow keys. */
function useArrows({ body, lines, columns, list }: ArrowOptions): Pick<DOMAttributes<Element>, 'onKeyDown' | 'onBlur'> {
  const { count } = lines.options
  const { move, reset } = useListFocus({
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
    onBlur: reset,
  }
}
