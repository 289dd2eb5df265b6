import { getLocalTimeZone, parseAbsolute, parseDate, toCalendarDate } from '@internationalized/date'
import type { ReactNode } from 'react'
import { DateField, DateInput, DateSegment, type DateValue } from 'react-aria-components/DateField'
import { FieldError } from 'react-aria-components/FieldError'
import { Label } from 'react-aria-components/Label'
import { Text } from 'react-aria-components/Text'
import { useTexts } from '../../messages/messages.tsx'
import { IconButton } from '../../ui/controls/button.tsx'
import styles from '../../ui/controls/field.module.css'
import own from './date.module.css'
import type { FieldEditorProps } from './field-editor.ts'
import { UnsupportedValue } from './unsupported-value.tsx'

/** The editor of days, and of moments in the reader's zone with UTC shown. */
export function DateEditor(props: FieldEditorProps): ReactNode {
  const { field, label, value, onChange, error, isReadOnly } = props
  const { t } = useTexts()
  const isMoment = field.type === 'datetime'
  const zone = getLocalTimeZone()
  const shown = typeof value === 'string' ? readValue(value, isMoment, zone) : null
  if (shown === undefined) return <UnsupportedValue {...props} />
  const zoneNote = isMoment ? t.fields.inYourZone(zone) : undefined
  const notes = [field.description, zoneNote].filter((one) => one !== undefined)
  const change = (next: DateValue | null): void => onChange(next && writeValue(next, isMoment, zone))
  return (
    <DateField
      value={shown}
      onChange={change}
      granularity={granularityOf(shown, isMoment)}
      hideTimeZone
      isReadOnly={isReadOnly}
      isRequired={field.required}
      isInvalid={error !== undefined}
      validationBehavior="aria"
      className={styles.field ?? ''}
    >
      <Label className={styles.label ?? ''}>{label}</Label>
      {notes.length > 0 && (
        <Text slot="description" className={styles.description ?? ''}>
          {notes.join(' ')}
        </Text>
      )}
      <div className={own.line}>
        <DateInput className={`${styles.input} ${styles.narrow} ${own.input}`}>
          {(segment) => <DateSegment segment={segment} className={own.segment ?? ''} />}
        </DateInput>
        {shown !== null && !isReadOnly && !field.required && (
          <IconButton icon="close" label={t.fields.empty(label)} onPress={() => onChange(null)} />
        )}
      </div>
      {isMoment && typeof value === 'string' && <p className={own.utc}>{t.fields.inUtc(utcText(value))}</p>}
      <FieldError className={styles.error ?? ''}>{error}</FieldError>
    </DateField>
  )
}

/** `undefined`: the text is no day or moment. */
function readValue(text: string, isMoment: boolean, zone: string): DateValue | undefined {
  try {
    return isMoment ? parseAbsolute(text, zone) : parseDate(text)
  } catch {
    return undefined
  }
}

function writeValue(value: DateValue, isMoment: boolean, zone: string): string {
  return isMoment ? value.toDate(zone).toISOString() : toCalendarDate(value).toString()
}

/** Seconds are shown where a stored moment has any. */
function granularityOf(value: DateValue | null, isMoment: boolean): 'day' | 'minute' | 'second' {
  if (!isMoment) return 'day'
  return value && 'second' in value && value.second > 0 ? 'second' : 'minute'
}

const utcText = (text: string): string => text.replace('T', ' ').replace(/(?::00)?(?:\.0+)?Z$/, '')
