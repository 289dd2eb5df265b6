import { type ReactNode, useRef } from 'react'
import styles from './rows.module.css'

export interface SidewaysScrollProps {
  /** Stays visible while the page scrolls. */
  readonly head: ReactNode
  readonly children: ReactNode
}

/** A wide table, whose head and body scroll sideways together. The head sticks to the top of the page, which a part of the body could not. */
export function SidewaysScroll({ head, children }: SidewaysScrollProps): ReactNode {
  const headBox = useRef<HTMLDivElement>(null)
  const bodyBox = useRef<HTMLDivElement>(null)
  const copy = (from: HTMLElement | null, to: HTMLElement | null): void => {
    if (from && to && from.scrollLeft !== to.scrollLeft) to.scrollLeft = from.scrollLeft
  }
  return (
    <>
      <div ref={headBox} className={styles.sticky} onScroll={() => copy(headBox.current, bodyBox.current)}>
        {head}
      </div>
      <div ref={bodyBox} className={styles.sideways} onScroll={() => copy(bodyBox.current, headBox.current)}>
        {children}
      </div>
    </>
  )
}
