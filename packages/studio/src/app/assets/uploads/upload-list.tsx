import { DaybookError } from '@daybook/client'
import type { ReactNode } from 'react'
import { getErrorText, getIssueText } from '../../api/error-texts.ts'
import { useObservable } from '../../api/observable.ts'
import type { Messages } from '../../messages/en.ts'
import { useTexts } from '../../messages/messages.tsx'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { formatBytes } from '../media/asset.ts'
import type { Upload, UploadQueue } from './upload-queue.ts'
import styles from './uploads.module.css'

const MAX_SHOWN = 100

export interface UploadListProps {
  readonly queue: UploadQueue
  /** The keys of the uploads to show until they are stored. @default all */
  readonly only?: readonly number[]
}

export function UploadList({ queue, only }: UploadListProps): ReactNode {
  const { t } = useTexts()
  const uploads = useObservable(queue.uploads).filter(
    ({ key, state }) => !only || (only.includes(key) && state !== 'stored'),
  )
  if (uploads.length === 0) return null
  const count = (state: Upload['state']): number => uploads.filter((upload) => upload.state === state).length
  // Failed uploads need attention, so they come first.
  const shown = [...uploads].sort((a, b) => rank(a) - rank(b)).slice(0, MAX_SHOWN)
  const isDone = count('stored') === uploads.length
  return (
    <section className={styles.uploads} aria-label={t.assets.uploads}>
      <div className={styles.head}>
        <p role="status">{t.assets.uploadState(count('stored'), uploads.length, count('failed'))}</p>
        {count('stored') > 0 && (
          <Button variant="quiet" onPress={() => queue.clearStored(uploads.map(({ key }) => key))}>
            {isDone ? t.common.close : t.assets.hideStored}
          </Button>
        )}
      </div>
      <ul className={styles.list}>
        {shown.map((upload) => (
          <UploadRow key={upload.key} upload={upload} queue={queue} />
        ))}
      </ul>
    </section>
  )
}

const rank = ({ state }: Upload): number => ['failed', 'sending', 'paused', 'waiting', 'stored'].indexOf(state)

function UploadRow({ upload, queue }: { readonly upload: Upload; readonly queue: UploadQueue }): ReactNode {
  const { t, locale } = useTexts()
  const { key, file, state, sent, error } = upload
  const text = state === 'failed' ? getUploadErrorText(error, t) : t.assets.uploadStates[state]
  const isFailed = state === 'failed'
  return (
    <li className={styles.row}>
      <div className={styles.what}>
        <p className={styles.name} dir="auto">
          {file.name}
        </p>
        <p className={isFailed ? styles.failure : styles.detail}>
          {formatBytes(file.size, locale)} · {text}
        </p>
        {state === 'sending' && (
          <progress className={styles.progress} max={Math.max(1, file.size)} value={sent} aria-label={file.name} />
        )}
      </div>
      {isFailed && <IconButton icon="retry" label={t.assets.retryFile(file.name)} onPress={() => queue.retry(key)} />}
      {state !== 'stored' && (
        <IconButton
          icon="close"
          label={isFailed ? t.assets.forgetFile(file.name) : t.assets.cancelFile(file.name)}
          onPress={() => queue.cancel(key)}
        />
      )}
    </li>
  )
}

function getUploadErrorText(error: unknown, t: Messages): string {
  const [issue] = error instanceof DaybookError ? (error.details.issues ?? []) : []
  if (issue === undefined) return getErrorText(error, t)
  const text = getIssueText(issue, t)
  return issue.code === 'accept' ? t.assets.refusedType(text) : text
}
