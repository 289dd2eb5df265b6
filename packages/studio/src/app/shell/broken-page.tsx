import type { ReactNode } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { errorText, requestIdOf } from '../talk/error-texts.ts'
import { Button } from '../ui/controls/button.tsx'
import { Notice } from '../ui/notice.tsx'
import styles from './shell.module.css'

/** What stands in the place of a page that cannot be drawn or loaded. */
export function BrokenPage({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }): ReactNode {
  const { t } = useTexts()
  const id = requestIdOf(error)
  return (
    <div className={styles.page}>
      <Notice title={t.errors.pageBroken} text={errorText(error, t)}>
        <Button variant="primary" onPress={onRetry}>
          {t.common.retry}
        </Button>
        <Button onPress={() => location.reload()}>{t.errors.reload}</Button>
      </Notice>
      {id !== undefined && <p className={styles.reference}>{t.errors.reference(id)}</p>}
    </div>
  )
}
