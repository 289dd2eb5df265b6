import type { MouseEvent, ReactNode } from 'react'
import styles from './tick-box.module.css'

export interface TickBoxProps {
  readonly label: string
  readonly isTicked: boolean
  /** @param isRange true if all items since the last one are included */
  readonly onTick: (isTicked: boolean, isRange: boolean) => void
}

export function TickBox({ label, isTicked, onTick }: TickBoxProps): ReactNode {
  const tick = (event: MouseEvent<HTMLInputElement>): void => onTick(event.currentTarget.checked, event.shiftKey)
  return (
    <label className={styles.box}>
      <input type="checkbox" checked={isTicked} aria-label={label} onClick={tick} onChange={() => {}} />
    </label>
  )
}
