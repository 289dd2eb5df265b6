import type { ReactNode } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { errorText, requestIdOf } from '../talk/error-texts.ts'
import { Button } from '../ui/controls/button.tsx'
import { Notice } from '../ui/notice.tsx'
import styles from './shell.module.css'

/** What {@link Failure} and {@link BrokenPage} take. */
export interface FailureProps {
  readonly error: unknown
  readonly onRetry: () => void
}

/** What stands in the place of a page that cannot be drawn or loaded. */
export const BrokenPage = (props: FailureProps): ReactNode => (
  <div className={styles.page}>
    <Failure {...props} />
  </div>
)

/** What stands in the place of the whole Studio, where nothing of it can be shown. */
export const BrokenStudio = (props: FailureProps): ReactNode => (
  <main className={styles.alone}>
    <Failure {...props} />
  </main>
)

/** What stands in the place of what a page is about. */
export function Failure({ error, onRetry }: FailureProps): ReactNode {
  const { t } = useTexts()
  const id = requestIdOf(error)
  return (
    <Notice
      icon="warning"
      title={t.errors.pageBroken}
      text={errorText(error, t)}
      reference={id && t.errors.reference(id)}
    >
      <Button variant="primary" onPress={onRetry}>
        {t.common.retry}
      </Button>
      <Button onPress={() => location.reload()}>{t.errors.reload}</Button>
    </Notice>
  )
}
