import { type ReactNode, useMemo, useState } from 'react'
import { getErrorText } from '../../api/error-texts.ts'
import { useTexts } from '../../messages/messages.tsx'
import { formatPath, type StudioField } from '../../model/studio-model.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Select } from '../../ui/controls/select.tsx'
import { LoadingPlaceholder } from '../../ui/loading-placeholder.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ConfirmDialog } from '../../ui/overlays/dialog.tsx'
import { useToast } from '../../ui/overlays/toasts.tsx'
import { Difference } from '../differences/difference.tsx'
import styles from './history.module.css'
import { type ComparedVersions, useComparedVersions, useVersions } from './use-versions.ts'
import { VersionList } from './version-list.tsx'
import { type HistoryCalls, listChangedFields, type Version } from './versions.ts'

/** The option for the version before the shown one. */
const PREVIOUS = 'previous'

/** The revisions that the URL names. */
export interface ShownVersions {
  readonly version?: number
  readonly against?: number | undefined
}

export interface HistoryViewProps {
  /** The query key of the document. */
  readonly name: readonly string[]
  readonly calls: HistoryCalls
  readonly fields: readonly StudioField[]
  /** The revision in the URL. */
  readonly version: number | undefined
  /** The revision to compare with, in the URL. @default the version before */
  readonly against: number | undefined
  readonly onShow: (shown: ShownVersions) => void
  /** True if restoring changes the draft; otherwise it is public at once. */
  readonly hasDrafts: boolean
  readonly canRestore: boolean
  readonly onRestored: () => void
}

export function HistoryView(props: HistoryViewProps): ReactNode {
  const { name, calls, fields, version, against, onShow } = props
  const { t } = useTexts()
  const versions = useVersions(name, calls)
  const shownRevision = version ?? versions.items[0]?.revision
  const compared = useComparedVersions(name, calls, versions, shownRevision, against)
  if (versions.isLoading) return <LoadingPlaceholder label={t.common.loading} />
  if (versions.error && versions.items.length === 0) {
    return (
      <Notice title={t.errors.title} text={getErrorText(versions.error, t)}>
        <Button onPress={versions.reload}>{t.common.retry}</Button>
      </Notice>
    )
  }
  if (versions.items.length === 0) return <Notice title={t.history.nothing} />
  const isNewest = shownRevision === versions.items[0]?.revision
  const isRestorable = props.canRestore && !isNewest && compared.version?.data !== null
  return (
    <div className={styles.history}>
      <VersionList versions={versions} shown={shownRevision} onShow={(revision) => onShow({ version: revision })} />
      <section className={styles.shown} aria-label={t.history.changes}>
        <div className={styles.head}>
          <h2>{t.history.changes}</h2>
          {isRestorable && shownRevision !== undefined && <RestoreButton {...props} revision={shownRevision} />}
        </div>
        <AgainstSelect
          versions={versions.items.filter(({ revision }) => revision !== shownRevision)}
          against={against}
          onChange={(revision) => onShow({ against: revision })}
        />
        <VersionChanges fields={fields} compared={compared} />
      </section>
    </div>
  )
}

interface AgainstSelectProps {
  readonly versions: readonly Version[]
  readonly against: number | undefined
  readonly onChange: (against: number | undefined) => void
}

/** Chooses the version to compare with, among those that are loaded. */
function AgainstSelect({ versions, against, onChange }: AgainstSelectProps): ReactNode {
  const { t, formats } = useTexts()
  const options = [
    { id: PREVIOUS, label: t.history.previous },
    ...versions.map(({ revision, at, action }) => ({
      id: String(revision),
      label: `${formats.moment(at)} · ${t.overview.actions[action]}`,
    })),
  ]
  return (
    <Select
      label={t.history.against}
      value={against === undefined ? PREVIOUS : String(against)}
      options={options}
      placeholder={t.history.previous}
      onChange={(id) => onChange(id === PREVIOUS ? undefined : Number(id))}
    />
  )
}

function RestoreButton({
  calls,
  hasDrafts,
  onRestored,
  revision,
}: HistoryViewProps & { readonly revision: number }): ReactNode {
  const { t } = useTexts()
  const toast = useToast()
  const [isDialogOpen, setIsDialogOpen] = useState(false)
  const [isPending, setIsPending] = useState(false)
  const restore = async (): Promise<void> => {
    setIsDialogOpen(false)
    setIsPending(true)
    try {
      await calls.restore(revision)
      toast({ text: t.history.restored })
      onRestored()
    } catch (error) {
      toast({ kind: 'failed', text: getErrorText(error, t) })
      setIsPending(false)
    }
  }
  return (
    <>
      <Button isPending={isPending} onPress={() => setIsDialogOpen(true)}>
        {t.history.restore}
      </Button>
      <ConfirmDialog
        title={t.history.restoreTitle}
        text={hasDrafts ? t.history.restoreText : t.history.restoreNowText}
        isOpen={isDialogOpen}
        confirm={t.history.restoreConfirm}
        cancel={t.common.cancel}
        onConfirm={() => void restore()}
        onCancel={() => setIsDialogOpen(false)}
      />
    </>
  )
}

interface VersionChangesProps {
  readonly fields: readonly StudioField[]
  readonly compared: ComparedVersions
}

function VersionChanges({ fields, compared }: VersionChangesProps): ReactNode {
  const { t } = useTexts()
  const { version, before, error } = compared
  const changes = useMemo(
    () => (version && before !== undefined ? listChangedFields(fields, before?.data ?? {}, version.data ?? {}) : []),
    [fields, version, before],
  )
  if (error) return <p role="alert">{getErrorText(error, t)}</p>
  if (!version || before === undefined) return <LoadingPlaceholder label={t.common.loading} />
  if (version.erased) return <p>{t.history.erased}</p>
  if (version.action === 'delete') return <p>{t.history.wasDeleted}</p>
  if (changes.length === 0) return <p className={styles.none}>{t.history.none}</p>
  return (
    <div className={styles.changes}>
      {changes.map(({ path, from, to }) => (
        <section key={path} className={styles.change} aria-label={formatPath(path, fields)}>
          <h3>{formatPath(path, fields)}</h3>
          <Difference from={from} to={to} />
        </section>
      ))}
    </div>
  )
}
