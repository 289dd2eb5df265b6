import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useStudio } from '../talk/studio.ts'
import styles from './shell.module.css'

/** What a {@link Page} takes. */
export interface PageProps {
  /** The heading, and the title in the browser's tab. */
  readonly title: string
  /** A line above the heading, such as the way back. */
  readonly above?: ReactNode
  /** A few words at the end of that line, such as whether all is saved. */
  readonly status?: ReactNode
  /** Beside the heading. */
  readonly actions?: ReactNode
  /** Whether the page takes the whole width. @default false */
  readonly isWide?: boolean
  /** Whether something in the page takes the focus itself. @default false */
  readonly keepsFocus?: boolean
  /** Whether the heading and what stands beside it stay in sight, above a form in the middle of the page. @default false */
  readonly isSticky?: boolean
  readonly children: ReactNode
}

/** One page: it names the browser's tab, and takes the focus to its heading when somebody comes to it from another page. */
export function Page(props: PageProps): ReactNode {
  const { title, above, status, actions, isWide = false, keepsFocus = false, isSticky = false, children } = props
  const { settings } = useStudio()
  const heading = useRef<HTMLHeadingElement>(null)
  // The focus moves when somebody comes, and not again.
  const [leavesFocus] = useState(keepsFocus)
  useEffect(() => {
    document.title = `${title} · ${settings.title}`
  }, [title, settings])
  useEffect(() => {
    // The first page of a visit leaves the focus where browsers put it.
    const isFirst = document.activeElement === document.body && !('studioVisited' in document.body.dataset)
    document.body.dataset.studioVisited = ''
    if (!isFirst && !leavesFocus) heading.current?.focus({ preventScroll: true })
  }, [leavesFocus])
  return (
    <div className={`${styles.page} ${isWide ? styles.wide : ''} ${isSticky ? styles.form : ''}`}>
      <div className={`${styles.head} ${isSticky ? styles.sticky : ''}`}>
        {status === undefined ? (
          above
        ) : (
          <div className={styles.above}>
            {above}
            {status}
          </div>
        )}
        <div className={styles.headRow}>
          <h1 ref={heading} tabIndex={-1} dir="auto">
            {title}
          </h1>
          {actions !== undefined && <div className={styles.actions}>{actions}</div>}
        </div>
      </div>
      {children}
    </div>
  )
}
