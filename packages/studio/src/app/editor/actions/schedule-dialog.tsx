import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import type { EntryRights } from '../../model/use-entry-rights.ts'
import { Button } from '../../ui/controls/button.tsx'
import field from '../../ui/controls/field.module.css'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import styles from './actions.module.css'
import type { PublishingState } from './publishing-state.ts'
import type { EntryWork } from './use-entry-work.ts'

export interface ScheduleDialogProps {
  readonly isOpen: boolean
  readonly publishing: PublishingState
  readonly rights: EntryRights
  readonly work: EntryWork
  readonly onRefresh: () => Promise<void>
  readonly onClose: () => void
}

export function ScheduleDialog(props: ScheduleDialogProps): ReactNode {
  const { t } = useTexts()
  return (
    <Dialog title={t.publishing.scheduleTitle} isOpen={props.isOpen} onClose={props.onClose}>
      <ScheduleForm {...props} />
    </Dialog>
  )
}

type ScheduledAction = 'publish' | 'unpublish'

/** Limits years to four digits, so that browsers move on to the hours after the fourth. */
const MAX_TIME = '9999-12-31T23:59'

function ScheduleForm({ publishing, rights, work, onRefresh, onClose }: ScheduleDialogProps): ReactNode {
  const { t } = useTexts()
  const id = useId()
  const [publishAt, setPublishAt] = useState(() => toLocal(publishing.publishAt))
  const [unpublishAt, setUnpublishAt] = useState(() => toLocal(publishing.unpublishAt))
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const schedule = (action: ScheduledAction, localTime: string): Promise<boolean> =>
    work.run({
      name: 'schedule',
      successText: t.publishing.scheduled,
      call: (calls, entry) =>
        calls[action](entry.id, { at: new Date(localTime).toISOString(), ifMatch: entry.tag }).then(onRefresh),
    })
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    onClose()
    const before = { publish: toLocal(publishing.publishAt), unpublish: toLocal(publishing.unpublishAt) }
    const times = { publish: publishAt, unpublish: unpublishAt }
    // The service rejects times out of order. If both move to a later time, set `unpublish` first.
    const isLater = before.unpublish !== '' && publishAt >= before.unpublish
    for (const action of isLater ? (['unpublish', 'publish'] as const) : (['publish', 'unpublish'] as const))
      if (times[action] !== '' && times[action] !== before[action] && !(await schedule(action, times[action]))) return
  }
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)}>
      {rights.publish && (
        <div className={field.field}>
          <label htmlFor={`${id}-publish`} className={field.label}>
            {t.publishing.publishTime}
          </label>
          <input
            id={`${id}-publish`}
            type="datetime-local"
            max={MAX_TIME}
            className={field.input}
            value={publishAt}
            onChange={(event) => setPublishAt(event.target.value)}
          />
        </div>
      )}
      {rights.unpublish && (
        <div className={field.field}>
          <label htmlFor={`${id}-unpublish`} className={field.label}>
            {t.publishing.unpublishTime}
          </label>
          <input
            id={`${id}-unpublish`}
            type="datetime-local"
            max={MAX_TIME}
            className={field.input}
            value={unpublishAt}
            onChange={(event) => setUnpublishAt(event.target.value)}
          />
        </div>
      )}
      <p className={styles.hint}>{t.editor.yourTime(zone)}</p>
      <div className={styles.buttons}>
        <Button onPress={onClose}>{t.common.cancel}</Button>
        <Button type="submit" variant="primary" isDisabled={publishAt === '' && unpublishAt === ''}>
          {t.publishing.scheduleNow}
        </Button>
      </div>
    </form>
  )
}

/** Converts a stored time to the format of the input: local time without a zone. */
function toLocal(stored: string | null): string {
  const date = new Date(stored ?? '')
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
