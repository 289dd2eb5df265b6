import type { ReactNode } from 'react'
import { useTexts } from '../../../messages/messages.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { isSame } from '../../saving/merging/same-value.ts'
import type { FieldEditorProps } from '../field-editor.ts'
import styles from './json.module.css'
import { readJson } from './read-json.ts'
import { useTypedJson } from './use-typed-json.ts'

/** The editor of JSON: checked as it is typed, and kept as it was typed; only what is valid is passed on, and saved. */
export function JsonEditor({ field, label, place, value, onChange, error, isReadOnly }: FieldEditorProps): ReactNode {
  const { t } = useTexts()
  const { text: typed, read, type } = useTypedJson(place, value)
  const isOwn = read !== undefined && (!read.isValid || isSame(read.value, value ?? null))
  const shown = isOwn && typed !== undefined ? typed : toText(value)
  const fault =
    read && !read.isValid ? `${t.fields.badJson(read.line, read.column)} ${t.fields.badJsonKept}` : undefined
  const change = (text: string): void => {
    type(text)
    const next = readJson(text)
    if (next.isValid) onChange(next.value, { isTyping: true })
  }
  return (
    <div className={styles.json}>
      <TextField
        label={label}
        description={field.description}
        value={shown}
        onChange={change}
        error={fault ?? error}
        isReadOnly={isReadOnly}
        isRequired={field.required}
        spellCheck="false"
        isLong
      />
    </div>
  )
}

const toText = (value: unknown): string => (value === null || value === undefined ? '' : JSON.stringify(value, null, 2))
