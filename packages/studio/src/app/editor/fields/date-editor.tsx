import { type ReactNode, useId } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import styles from '../../ui/field.module.css'
import type { FieldEditorProps } from './field-editor.ts'

/** The editor of days, and of moments in the reader's zone with UTC beside. */
export function DateEditor({ field, label, value, onChange, error, isReadOnly }: FieldEditorProps): ReactNode {
  const { t } = useTexts()
  const id = useId()
  const isMoment = field.type === 'datetime'
  const stored = typeof value === 'string' ? value : ''
  const zone = isMoment ? t.editor.yourTime(Intl.DateTimeFormat().resolvedOptions().timeZone) : undefined
  const notes = [field.description, zone, isMoment && stored !== '' ? `UTC ${stored}` : undefined].filter(Boolean)
  const change = (text: string): void => {
    if (text === '') onChange(null)
    else onChange(isMoment ? new Date(text).toISOString() : text)
  }
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <p id={`${id}-note`} className={styles.description} hidden={notes.length === 0}>
        {notes.join(' · ')}
      </p>
      <input
        id={id}
        type={isMoment ? 'datetime-local' : 'date'}
        value={isMoment ? toLocal(stored) : stored}
        onChange={(event) => change(event.target.value)}
        readOnly={isReadOnly}
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-note ${id}-error`}
        className={`${styles.input} ${styles.narrow}`}
      />
      <p id={`${id}-error`} className={styles.error} hidden={error === undefined}>
        {error}
      </p>
    </div>
  )
}

/** A moment as the input takes it: in the zone of the reader, without naming it. */
function toLocal(stored: string): string {
  const moment = new Date(stored)
  if (Number.isNaN(moment.getTime())) return ''
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
