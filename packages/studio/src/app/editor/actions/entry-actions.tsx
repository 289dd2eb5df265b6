import { useNavigate } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import { getStatusLabel, type StudioCollection } from '../../model/studio-model.ts'
import type { EntryRights } from '../../model/use-entry-rights.ts'
import { useModel } from '../../model/use-model.ts'
import { needsToken } from '../../preview/preview-link.ts'
import { useSession } from '../../session/use-session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { ConfirmDialog } from '../../ui/overlays/dialog.tsx'
import { MenuButton, MenuItem } from '../../ui/overlays/menu.tsx'
import { isTranslated } from '../languages/locale-values.ts'
import { useLocaleName } from '../languages/use-languages.ts'
import type { DocumentEditor } from '../saving/document-editor.ts'
import type { EditorState } from '../saving/editor-state.ts'
import styles from './actions.module.css'
import type { PublishingState } from './publishing-state.ts'
import type { EntryTask, EntryWork } from './use-entry-work.ts'

const ScheduleDialog = lazy(async () => ({ default: (await import('./schedule-dialog.tsx')).ScheduleDialog }))
const DeleteDialog = lazy(async () => ({ default: (await import('./delete-dialog.tsx')).DeleteDialog }))

export interface EntryActionsProps {
  readonly collection: StudioCollection
  readonly editor: DocumentEditor
  readonly state: EditorState
  readonly publishing: PublishingState
  readonly rights: EntryRights
  readonly work: EntryWork
}

type OpenDialog = 'schedule' | 'discard' | 'delete'

/** The actions on an entry that the user may take: publishing, and a menu with the rest. */
export function EntryActions(props: EntryActionsProps): ReactNode {
  const { collection, editor, state, publishing, rights, work } = props
  const { t } = useTexts()
  const [openDialog, setOpenDialog] = useState<OpenDialog>()
  const close = (): void => setOpenDialog(undefined)
  const tasks = useTasks(editor)
  if (state.document.id === null) return null
  return (
    <>
      {rights.publish && publishing.status !== null && (
        <Button
          variant="primary"
          isDisabled={!publishing.isPublishable}
          isPending={work.pending === 'publish'}
          onPress={() => void work.run(tasks.publish)}
        >
          {t.publishing.publish}
        </Button>
      )}
      <span className={styles.last}>
        <MoreMenu {...props} tasks={tasks} onOpen={setOpenDialog} />
      </span>
      <Suspense>
        {openDialog === 'schedule' && (
          <ScheduleDialog
            isOpen
            publishing={publishing}
            rights={rights}
            work={work}
            onRefresh={() => editor.refresh()}
            onClose={close}
          />
        )}
        {openDialog === 'delete' && (
          <DeleteDialog isOpen collection={collection} state={state} work={work} onClose={close} />
        )}
      </Suspense>
      <ConfirmDialog
        title={t.publishing.discardTitle}
        text={t.publishing.discardText}
        isOpen={openDialog === 'discard'}
        confirm={t.publishing.discardNow}
        cancel={t.common.cancel}
        onConfirm={() => {
          close()
          void work.run(tasks.discard)
        }}
        onCancel={close}
      />
    </>
  )
}

interface MoreMenuProps extends EntryActionsProps {
  readonly tasks: EntryTasks
  readonly onOpen: (dialog: OpenDialog) => void
}

function MoreMenu({ collection, state, publishing, rights, work, tasks, onOpen }: MoreMenuProps): ReactNode {
  const { t } = useTexts()
  const { identity } = useSession()
  const getLocaleName = useLocaleName()
  const navigate = useNavigate()
  const { permissions, key, statusField, fields } = collection
  const { locale = '' } = state.document
  const canPublish = rights.publish && statusField !== null
  const isPublishedSomewhere = publishing.isPublished || publishing.publishedLocales.length > 0
  const canUnpublish = rights.unpublish && statusField !== null && isPublishedSomewhere
  const hasLanguages = locale !== '' && fields.some(isTranslated)
  const showHistory = (): void => {
    const params = { collection: key, id: state.document.id ?? '' }
    void navigate({ to: '/c/$collection/$id/history', params, search: locale === '' ? {} : { locale } })
  }
  const duplicate = async (): Promise<void> => {
    const { duplicateEntry } = await import('./duplicate-entry.ts')
    const copy = await duplicateEntry(collection, state.values, identity?.subject ?? '', t.publishing.copyOf)
    void navigate({ to: '/c/$collection/$id', params: { collection: key, id: 'new' }, search: { copy } })
  }
  return (
    <MenuButton label={t.publishing.more} icon="more">
      <MenuItem onAction={showHistory}>{t.history.title}</MenuItem>
      {canPublish && hasLanguages && publishing.isPublishable && (
        <MenuItem onAction={() => void work.run(tasks.publishLocale(locale))}>
          {t.publishing.publishLocale(getLocaleName(locale))}
        </MenuItem>
      )}
      {(canPublish || canUnpublish) && <MenuItem onAction={() => onOpen('schedule')}>{t.publishing.schedule}</MenuItem>}
      {canUnpublish && publishing.isPublished && publishing.publishedLocales.length > 1 && hasLanguages && (
        <MenuItem onAction={() => void work.run(tasks.unpublishLocale(locale))}>
          {t.publishing.unpublishLocale(getLocaleName(locale))}
        </MenuItem>
      )}
      {canUnpublish && <MenuItem onAction={() => void work.run(tasks.unpublish)}>{t.publishing.unpublish}</MenuItem>}
      {statusField !== null &&
        publishing.otherStatuses
          .filter((status) => status !== 'draft' && rights.canSetStatus(status))
          .map((status) => (
            <MenuItem key={status} onAction={() => void work.run(tasks.toStatus(statusField, status))}>
              {t.publishing.toStatus(getStatusLabel(status, t, collection))}
            </MenuItem>
          ))}
      {rights.restore && publishing.hasDraft && isPublishedSomewhere && (
        <MenuItem onAction={() => onOpen('discard')}>{t.publishing.discard}</MenuItem>
      )}
      {permissions.create !== false && <MenuItem onAction={() => void duplicate()}>{t.publishing.duplicate}</MenuItem>}
      {rights.delete && <MenuItem onAction={() => onOpen('delete')}>{t.publishing.delete}</MenuItem>}
    </MenuButton>
  )
}

/** The tasks that run without a dialog. */
interface EntryTasks {
  readonly publish: EntryTask
  /** Publishes one language; the others stay in the draft. */
  readonly publishLocale: (locale: string) => EntryTask
  readonly unpublish: EntryTask
  readonly unpublishLocale: (locale: string) => EntryTask
  readonly discard: EntryTask
  readonly toStatus: (field: string, status: string) => EntryTask
}

function useTasks(editor: DocumentEditor): EntryTasks {
  const { t } = useTexts()
  const refresh = (): Promise<void> => editor.refresh()
  return {
    publish: {
      name: 'publish',
      successText: t.publishing.published,
      call: (calls, { id, tag }) => calls.publish(id, { ifMatch: tag }).then(refresh),
    },
    publishLocale: (locale) => ({
      name: 'publish',
      successText: t.publishing.published,
      call: (calls, { id, tag }) => calls.publish(id, { ifMatch: tag, locales: [locale] }).then(refresh),
    }),
    unpublish: {
      name: 'unpublish',
      successText: t.publishing.unpublished,
      call: (calls, { id, tag }) => calls.unpublish(id, { ifMatch: tag }).then(refresh),
    },
    unpublishLocale: (locale) => ({
      name: 'unpublish',
      successText: t.publishing.unpublished,
      call: (calls, { id, tag }) => calls.unpublish(id, { ifMatch: tag, locales: [locale] }).then(refresh),
    }),
    discard: {
      name: 'discard',
      successText: t.publishing.discarded,
      savesFirst: false,
      call: async (calls, { id }) => {
        await editor.discard()
        // A running save must finish first.
        await editor.idle()
        await calls.discardDraft(id, {})
        await refresh()
      },
    },
    toStatus: (field: string, status: string): EntryTask => ({
      name: 'status',
      successText: t.publishing.changed,
      call: (calls, { id }) => calls.update(id, { [field]: status }, {}).then(refresh),
    }),
  }
}

const PreviewButton = lazy(async () => ({ default: (await import('../../preview/preview-button.tsx')).PreviewButton }))

interface EntryPreviewProps {
  readonly collection: StudioCollection
  readonly state: EditorState
  /** True if the user may create a token that shows the draft. */
  readonly canCreateToken: boolean
}

/**
 * The button that shows the entry's page on the site. Renders nothing without a preview address in the config, or before the entry is
 * stored.
 */
export function EntryPreview({ collection: { key }, state, canCreateToken }: EntryPreviewProps): ReactNode {
  const { settings } = useStudio()
  const { document, tag, values } = state
  const address = Object.hasOwn(settings.preview, key) ? settings.preview[key] : undefined
  if (address === undefined || document.id === null || (needsToken(address) && !canCreateToken)) return null
  const entry = { ...values, locale: document.locale, id: document.id }
  return (
    <Suspense>
      <PreviewButton collection={key} entry={entry} revision={tag ?? ''} address={address} />
    </Suspense>
  )
}

interface EntryStatusProps {
  readonly collection: StudioCollection
  readonly publishing: PublishingState
  /** Removes the scheduled times; `undefined` if the user may not. */
  readonly onUnschedule: (() => void) | undefined
}

export function EntryStatus({ collection, publishing, onUnschedule }: EntryStatusProps): ReactNode {
  const { t, formats } = useTexts()
  const { status, isPublished, hasDraft, publishAt, unpublishAt, publishedLocales } = publishing
  const getLocaleName = useLocaleName()
  const { locales } = useModel()
  const isInSomeLocales = publishedLocales.length > 0 && publishedLocales.length < (locales?.available.length ?? 0)
  if (status === null) return null
  return (
    <div className={styles.publishing}>
      <Badge tone={isPublished ? 'good' : 'neutral'}>{getStatusLabel(status, t, collection)}</Badge>
      {isInSomeLocales && <span>{t.publishing.publishedIn(publishedLocales.map(getLocaleName).join(', '))}</span>}
      {isPublished && hasDraft && <Badge tone="waiting">{t.lists.hasDraft}</Badge>}
      {publishAt !== null && <span>{t.publishing.publishesAt(formats.zonedMoment(publishAt))}</span>}
      {unpublishAt !== null && <span>{t.publishing.unpublishesAt(formats.zonedMoment(unpublishAt))}</span>}
      {(publishAt ?? unpublishAt) !== null && onUnschedule && (
        <Button variant="quiet" onPress={onUnschedule}>
          {t.publishing.unschedule}
        </Button>
      )}
    </div>
  )
}
