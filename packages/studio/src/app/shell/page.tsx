import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { getErrorText, getRequestId } from '../api/error-texts.ts'
import { useStudio } from '../api/studio.ts'
import { useTexts } from '../messages/messages.tsx'
import { Button, getButtonClass } from '../ui/controls/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageActions } from '../ui/page-actions.tsx'
import styles from './shell.module.css'

export interface PageProps {
  /** The heading, also the title of the browser's tab. */
  readonly title: string
  /** Shown above the heading, such as a link back. */
  readonly above?: ReactNode
  /** Shown at the end of the line above the heading, such as the state of saving. */
  readonly status?: ReactNode
  /** Shown next to the heading. */
  readonly actions?: ReactNode
  /** True if the page takes the whole width. @default false */
  readonly isWide?: boolean
  /** True if the content of the page manages the focus. @default false */
  readonly keepsFocus?: boolean
  /** True if the heading row is sticky, above a centred form. @default false */
  readonly isSticky?: boolean
  readonly children: ReactNode
}

/** Sets the title of the browser's tab, and focuses its heading after a navigation. */
export function Page(props: PageProps): ReactNode {
  const { title, above, status, actions, isWide = false, keepsFocus = false, isSticky = false, children } = props
  const { settings } = useStudio()
  const heading = useRef<HTMLHeadingElement>(null)
  const head = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isSticky || !head.current) return
    const observer = new ResizeObserver(([entry]) => entry && publishHeight(entry.target as HTMLElement))
    observer.observe(head.current)
    return () => observer.disconnect()
  }, [isSticky])
  // The focus moves once, on arrival.
  const [leavesFocus] = useState(keepsFocus)
  useEffect(() => {
    document.title = `${title} · ${settings.title}`
  }, [title, settings])
  useEffect(() => {
    // The first page of a visit leaves the focus where the browser puts it.
    const isFirst = document.activeElement === document.body && !('studioVisited' in document.body.dataset)
    document.body.dataset.studioVisited = ''
    if (!isFirst && !leavesFocus) heading.current?.focus({ preventScroll: true })
  }, [leavesFocus])
  return (
    <div className={`${styles.page} ${isWide ? styles.wide : ''} ${isSticky ? styles.form : ''}`}>
      <PageActions>
        <div ref={head} className={`${styles.head} ${isSticky ? styles.sticky : ''}`}>
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
      </PageActions>
      {children}
    </div>
  )
}

/** Sets `--page-head` on the page: the height that the sticky head covers, below which other sticky parts stay. */
function publishHeight(head: HTMLElement): void {
  const isSticky = getComputedStyle(head).position === 'sticky'
  head.parentElement?.style.setProperty('--page-head', isSticky ? `${head.offsetHeight}px` : '0px')
}

interface ErrorNoticeProps {
  readonly error: unknown
  readonly onRetry: () => void
}

/** Replaces a page that failed to load or render. */
export const ErrorPage = (props: ErrorNoticeProps): ReactNode => (
  <div className={styles.page}>
    <ErrorNotice {...props} />
  </div>
)

/** Replaces the whole Studio if it failed to render. */
export const StudioErrorPage = (props: ErrorNoticeProps): ReactNode => (
  <main className={styles.alone}>
    <ErrorNotice {...props} />
  </main>
)

/** Replaces the content of a page that failed to load. */
export function ErrorNotice({ error, onRetry }: ErrorNoticeProps): ReactNode {
  const { t } = useTexts()
  const id = getRequestId(error)
  return (
    <Notice
      icon="warning"
      title={t.errors.pageBroken}
      text={getErrorText(error, t)}
      reference={id && t.errors.reference(id)}
    >
      <Button variant="primary" onPress={onRetry}>
        {t.common.retry}
      </Button>
      <Button onPress={() => location.reload()}>{t.errors.reload}</Button>
    </Notice>
  )
}

export function NotFoundPage({ title, text }: { readonly title?: string; readonly text?: string }): ReactNode {
  const { t } = useTexts()
  return (
    <Page title={title ?? t.errors.notFound}>
      <Notice text={text ?? t.errors.notFoundText}>
        <Link to="/" className={getButtonClass()}>
          {t.errors.toOverview}
        </Link>
      </Notice>
    </Page>
  )
}
