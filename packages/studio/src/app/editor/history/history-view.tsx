import type { FieldDescription } from 'daybook'
import { type ReactNode, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { errorText } from '../../talk/error-texts.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ConfirmDialog } from '../../ui/overlays/dialog.tsx'
import { useToast } from '../../ui/overlays/toasts.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import styles from './history.module.css'
import { useCompared, useVersions } from './use-versions.ts'
import { VersionChanges } from './version-changes.tsx'
import { VersionList } from './version-list.tsx'
import type { HistoryCalls } from './versions.ts'

/** What a {@link HistoryView} takes. */
export interface HistoryViewProps {
  /** Names the document, for what is kept of answers. */
  readonly name: readonly string[]
  readonly calls: HistoryCalls
  readonly fields: readonly FieldDescription[]
  /** The version that the address names. */
  readonly version: number | undefined
  readonly onShow: (revision: number) => void
  /** Whether what is restored is a working copy; else readers see it at once. */
  readonly hasDrafts: boolean
  readonly mayRestore: boolean
  readonly onRestored: () => void
}

/** What a document was: who changed what and when, and the way back. */
export function HistoryView(props: HistoryViewProps): ReactNode {
  const { name, calls, fields, version, onShow } = props
  const { t } = useTexts()
  const versions = useVersions(name, calls)
  const shown = version ?? versions.items[0]?.revision
  const compared = useCompared(name, calls, versions, shown)
  if (versions.isLoading) return <Waiting label={t.common.loading} />
  if (versions.error && versions.items.length === 0) {
    return (
      <Notice title={t.errors.title} text={errorText(versions.error, t)}>
        <Button onPress={versions.reload}>{t.common.retry}</Button>
      </Notice>
    )
  }
  if (versions.items.length === 0) return <Notice title={t.history.nothing} />
  const isNewest = shown === versions.items[0]?.revision
  const isRestorable = props.mayRestore && !isNewest && compared.version?.data !== null
  return (
    <div className={styles.history}>
      <VersionList versions={versions} shown={shown} onShow={onShow} />
      <section className={styles.shown} aria-label={t.history.changes}>
        <div className={styles.head}>
          <h2>{t.history.changes}</h2>
          {isRestorable && shown !== undefined && <Restore {...props} revision={shown} />}
        </div>
        <VersionChanges fields={fields} compared={compared} />
      </section>
    </div>
  )
}

function Restore({
  calls,
  hasDrafts,
  onRestored,
  revision,
}: HistoryViewProps & { readonly revision: number }): ReactNode {
  const { t } = useTexts()
  const toast = useToast()
  const [isAsked, setIsAsked] = useState(false)
  const [isPending, setIsPending] = useState(false)
  const restore = async (): Promise<void> => {
    setIsAsked(false)
    setIsPending(true)
    try {
      await calls.restore(revision)
      toast({ text: t.history.restored })
      onRestored()
    } catch (error) {
      toast({ kind: 'failed', text: errorText(error, t) })
      setIsPending(false)
    }
  }
  return (
    <>
      <Button isPending={isPending} onPress={() => setIsAsked(true)}>
        {t.history.restore}
      </Button>
      <ConfirmDialog
        title={t.history.restoreTitle}
        text={hasDrafts ? t.history.restoreText : t.history.restoreNowText}
        isOpen={isAsked}
        confirm={t.history.restoreConfirm}
        cancel={t.common.cancel}
        onConfirm={() => void restore()}
        onCancel={() => setIsAsked(false)}
      />
    </>
  )
}
