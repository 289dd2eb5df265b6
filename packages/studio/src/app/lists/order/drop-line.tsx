import type { ReactNode } from 'react'
import type { RenderedRows } from '../rows/use-row-window.ts'
import styles from './drop-line.module.css'
import type { DropPlace } from './use-row-drag.ts'

export interface DropLineProps {
  readonly place: DropPlace
  readonly rendered: Pick<RenderedRows, 'row' | 'range'>
}

/** The place at which a dragged row would be dropped: a line between rows, or a frame around one. */
export function DropLine({ place: { index, part }, rendered: { row, range } }: DropLineProps): ReactNode {
  const top = (part === 'after' ? index + 1 : index) * row - range.shift
  return (
    <span
      aria-hidden="true"
      className={part === 'on' ? styles.frame : styles.line}
      style={{ transform: `translateY(${top}px)`, ...(part === 'on' ? { blockSize: row } : {}) }}
    />
  )
}
