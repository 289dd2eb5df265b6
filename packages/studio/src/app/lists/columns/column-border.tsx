import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import styles from './column-border.module.css'
import { type ColumnWidths, MAX_WIDTH, MIN_WIDTH } from './column-widths.ts'

export interface ColumnBorderProps {
  /** The path of the column. */
  readonly path: string
  readonly label: string
  readonly widths: ColumnWidths
}

/** The step of a key press, in pixels. */
const STEP = 16

/** The border at the end of a column, which is dragged, or moved by arrow keys. A double click or Delete restores the default width. */
export function ColumnBorder({ path, label, widths }: ColumnBorderProps): ReactNode {
  const { t } = useTexts()
  const start = useRef<{ readonly x: number; readonly width: number }>(undefined)
  const measure = (element: HTMLElement): number => element.parentElement?.getBoundingClientRect().width ?? MIN_WIDTH
  const toWidth = (element: HTMLElement, distance: number, width: number): number =>
    width + (getComputedStyle(element).direction === 'rtl' ? -distance : distance)
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const step = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key]
    const isReset = event.key === 'Delete' || event.key === 'Backspace'
    if (step === undefined && !isReset) return
    event.preventDefault()
    const { currentTarget } = event
    widths.set(path, step === undefined ? undefined : toWidth(currentTarget, step, measure(currentTarget)))
  }
  const onPointerDown = (event: PointerEvent<HTMLElement>): void => {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    start.current = { x: event.clientX, width: measure(event.currentTarget) }
  }
  const onPointerMove = (event: PointerEvent<HTMLElement>): void => {
    const { current } = start
    if (current) widths.set(path, toWidth(event.currentTarget, event.clientX - current.x, current.width))
  }
  const end = (): void => {
    start.current = undefined
  }
  return (
    <span
      role="separator"
      aria-orientation="vertical"
      aria-label={t.lists.columnWidth(label)}
      aria-valuenow={widths.get(path) ?? MIN_WIDTH}
      aria-valuemin={MIN_WIDTH}
      aria-valuemax={MAX_WIDTH}
      aria-valuetext={widths.get(path) === undefined ? t.lists.defaultWidth : undefined}
      tabIndex={0}
      className={styles.border}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={end}
      onPointerCancel={end}
      onDoubleClick={() => widths.set(path, undefined)}
    />
  )
}
