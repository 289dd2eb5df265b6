import { type ReactNode, useEffect, useState } from 'react'
import styles from './loading-placeholder.module.css'
import unseen from './visually-hidden.module.css'

/** The delay before the placeholder is shown, in milliseconds, so that short waits do not flicker. */
const DELAY_MS = 150

export function LoadingPlaceholder({
  label,
  lines = 5,
}: {
  readonly label: string
  readonly lines?: number
}): ReactNode {
  const [isLate, setIsLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  if (!isLate) return null
  return (
    <div role="status" className={styles.waiting}>
      <span className={unseen.unseen}>{label}</span>
      {Array.from({ length: lines }, (_, index) => (
        <div key={`line-${index.toString()}`} className={styles.line} />
      ))}
    </div>
  )
}
