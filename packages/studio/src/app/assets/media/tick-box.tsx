import type { MouseEvent, ReactNode } from 'react'
import styles from './tick-box.module.css'

/** What a {@link TickBox} takes. */
export interface TickBoxProps {
  readonly label: string
  readonly isTicked: boolean
  /** @param isRange whether everything since the last one is meant, too */
  readonly onTick: (isTicked: boolean, isRange: boolean) => void
}

/** A box that chooses one thing among many. */
export function TickBox({ label, isTicked, onTick }: TickBoxProps): ReactNode {
  const tick = (event: MouseEvent<HTMLInputElement>): void => onTick(event.currentTarget.checked, event.shiftKey)
  return (
    <label className={styles.box}>
      <input type="checkbox" checked={isTicked} aria-label={label} onClick={tick} onChange={() => {}} />
    </label>
  )
}
