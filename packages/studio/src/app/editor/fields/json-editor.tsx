import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { isSameValue } from '../saving/field-values.ts'
import { type FieldEditorProps, useFormDocument } from './field-editor.ts'
import styles from './json.module.css'
import { type ParsedJson, parseJson } from './value-formats.ts'

/** The editor of JSON: checked as it is typed, and kept as it was typed; only what is valid is passed on, and saved. */
export function JsonEditor({ field, label, place, value, onChange, error, isReadOnly }: FieldEditorProps): ReactNode {
  const { t } = useTexts()
  const { text: typed, parsed: read, setText: type } = useTypedJson(place, value)
  const isOwn = read !== undefined && (!read.isValid || isSameValue(read.value, value ?? null))
  const shown = isOwn && typed !== undefined ? typed : toText(value)
  const fault =
    read && !read.isValid ? `${t.fields.badJson(read.line, read.column)} ${t.fields.badJsonKept}` : undefined
  const change = (text: string): void => {
    type(text)
    const next = parseJson(text)
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
        isMultiline
      />
    </div>
  )
}

const toText = (value: unknown): string => (value === null || value === undefined ? '' : JSON.stringify(value, null, 2))

/** What somebody has typed in a field of JSON. */
export interface TypedJson {
  /** `undefined`: nothing since the value came from elsewhere. */
  readonly text: string | undefined
  readonly parsed: ParsedJson | undefined
  readonly setText: (text: string) => void
}

/** Whether a place is that of an item, which another one may have taken meanwhile. */
const isOfItem = (place: string): boolean => /\.\d+(?:\.|$)/.test(place)

/** Keeps a text as it is typed; one that says nothing yet outlives the page. */
export function useTypedJson(place: string, value: unknown): TypedJson {
  const { unfinishedAt, keepUnfinished } = useFormDocument()
  const [text, type] = useState(() => {
    const left = unfinishedAt(place)
    return left && (!isOfItem(place) || isSameValue(left.value, value ?? null)) ? left.text : undefined
  })
  const read = text === undefined ? undefined : parseJson(text)
  const isUnfinished = read !== undefined && !read.isValid
  const former = useRef(place)
  useEffect(() => {
    const moved = former.current !== place && unfinishedAt(former.current)?.text === text
    if (moved) keepUnfinished(former.current, undefined)
    former.current = place
    keepUnfinished(place, isUnfinished ? { text: text ?? '', value: value ?? null } : undefined)
  }, [place, text, isUnfinished, value, unfinishedAt, keepUnfinished])
  return { text, parsed: read, setText: type }
}
