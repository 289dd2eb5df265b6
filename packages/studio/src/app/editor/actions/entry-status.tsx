import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { statusLabel } from '../../model/status-label.ts'
import { useModel } from '../../model/use-model.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { useLocaleName } from '../languages/use-locale-name.ts'
import styles from './actions.module.css'
import type { PublishingState } from './publishing-state.ts'

/** What an {@link EntryStatus} takes. */
export interface EntryStatusProps {
  readonly publishing: PublishingState
  /** Takes the times back; absent: this person may not. */
  readonly onUnschedule: (() => void) | undefined
}

/** Whether readers see an entry, what they do not see yet, and when that changes by itself. */
export function EntryStatus({ publishing, onUnschedule }: EntryStatusProps): ReactNode {
  const { t, formats } = useTexts()
  const { status, isPublished, hasDraft, publishAt, unpublishAt, publishedLocales } = publishing
  const nameOf = useLocaleName()
  const { locales } = useModel()
  const isInSome = publishedLocales.length > 0 && publishedLocales.length < (locales?.available.length ?? 0)
  if (status === null) return null
  return (
    <div className={styles.publishing}>
      <Badge tone={isPublished ? 'good' : 'neutral'}>{statusLabel(status, t)}</Badge>
      {isInSome && <span>{t.publishing.publishedIn(publishedLocales.map(nameOf).join(', '))}</span>}
      {isPublished && hasDraft && <Badge tone="waiting">{t.lists.hasDraft}</Badge>}
      {publishAt !== null && <span>{t.publishing.publishesAt(formats.moment(publishAt))}</span>}
      {unpublishAt !== null && <span>{t.publishing.unpublishesAt(formats.moment(unpublishAt))}</span>}
      {(publishAt ?? unpublishAt) !== null && onUnschedule && (
        <Button variant="quiet" onPress={onUnschedule}>
          {t.publishing.unschedule}
        </Button>
      )}
    </div>
  )
}
