import { getLocalTimeZone, parseAbsolute, parseDate, toCalendarDate } from '@internationalized/date'
import type { ReactNode } from 'react'
import { DateField, DateInput, DateSegment, type DateValue } from 'react-aria-components/DateField'
import { FieldError } from 'react-aria-components/FieldError'
import { Label } from 'react-aria-components/Label'
import { Text } from 'react-aria-components/Text'
import { useTexts } from '../../messages/messages.tsx'
import { IconButton } from '../../ui/controls/button.tsx'
import fieldStyles from '../../ui/controls/field.module.css'
import styles from './date.module.css'
import type { FieldEditorProps } from './field-editor.ts'
import { UnsupportedValue } from './unsupported-value.tsx'

/** The editor of dates, and of times in the user's time zone with the UTC time below. */
export function DateEditor(props: FieldEditorProps): ReactNode {
  const { field, label, value, onChange, error, isReadOnly } = props
  const { t } = useTexts()
  const hasTime = field.type === 'datetime'
  const zone = getLocalTimeZone()
  const date = typeof value === 'string' ? parseValue(value, hasTime, zone) : null
  if (date === undefined) return <UnsupportedValue {...props} />
  const zoneNote = hasTime ? t.fields.inYourZone(zone) : undefined
  const notes = [field.description, zoneNote].filter((note) => note !== undefined)
  const change = (next: DateValue | null): void => onChange(next && formatValue(next, hasTime, zone))
  return (
    <DateField
      value={date}
      onChange={change}
      granularity={getGranularity(date, hasTime)}
      hideTimeZone
      isReadOnly={isReadOnly}
      isRequired={field.required}
      isInvalid={error !== undefined}
      validationBehavior="aria"
      className={fieldStyles.field ?? ''}
    >
      <Label className={fieldStyles.label ?? ''}>{label}</Label>
      {notes.length > 0 && (
        <Text slot="description" className={fieldStyles.description ?? ''}>
          {notes.join(' ')}
        </Text>
      )}
      <div className={styles.line}>
        <DateInput className={`${fieldStyles.input} ${fieldStyles.narrow} ${styles.input}`}>
          {(segment) => <DateSegment segment={segment} className={styles.segment ?? ''} />}
        </DateInput>
        {date !== null && !isReadOnly && !field.required && (
          <IconButton icon="close" label={t.fields.empty(label)} onPress={() => onChange(null)} />
        )}
      </div>
      {hasTime && typeof value === 'string' && <p className={styles.utc}>{t.fields.inUtc(formatUtc(value))}</p>}
      <FieldError className={fieldStyles.error ?? ''}>{error}</FieldError>
    </DateField>
  )
}

/** Parses a stored text; returns `undefined` if it is no date or time. */
function parseValue(text: string, hasTime: boolean, zone: string): DateValue | undefined {
  try {
    return hasTime ? parseAbsolute(text, zone) : parseDate(text)
  } catch {
    return undefined
  }
}

function formatValue(value: DateValue, hasTime: boolean, zone: string): string {
  return hasTime ? value.toDate(zone).toISOString() : toCalendarDate(value).toString()
}

/** Shows seconds only if the stored time has any. */
function getGranularity(value: DateValue | null, hasTime: boolean): 'day' | 'minute' | 'second' {
  if (!hasTime) return 'day'
  return value && 'second' in value && value.second > 0 ? 'second' : 'minute'
}

const formatUtc = (text: string): string => text.replace('T', ' ').replace(/(?::00)?(?:\.0+)?Z$/, '')
