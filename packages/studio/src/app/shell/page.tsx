import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { getErrorText, getRequestId } from '../api/error-texts.ts'
import { useStudio } from '../api/studio.ts'
import { useTexts } from '../messages/messages.tsx'
import { Button, buttonClass } from '../ui/controls/button.tsx'
import { Notice } from '../ui/notice.tsx'
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

/** What {@link ErrorNotice} and {@link ErrorPage} take. */
interface ErrorNoticeProps {
  readonly error: unknown
  readonly onRetry: () => void
}

/** What stands in the place of a page that cannot be drawn or loaded. */
export const ErrorPage = (props: ErrorNoticeProps): ReactNode => (
  <div className={styles.page}>
    <ErrorNotice {...props} />
  </div>
)

/** What stands in the place of the whole Studio, where nothing of it can be shown. */
export const StudioErrorPage = (props: ErrorNoticeProps): ReactNode => (
  <main className={styles.alone}>
    <ErrorNotice {...props} />
  </main>
)

/** What stands in the place of what a page is about. */
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

/** What stands at an address that leads nowhere. */
export function NotFoundPage({ title, text }: { readonly title?: string; readonly text?: string }): ReactNode {
  const { t } = useTexts()
  return (
    <Page title={title ?? t.errors.notFound}>
      <Notice text={text ?? t.errors.notFoundText}>
        <Link to="/" className={buttonClass()}>
          {t.errors.toOverview}
        </Link>
      </Notice>
    </Page>
  )
}
