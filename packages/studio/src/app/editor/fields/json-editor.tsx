import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { isSameValue } from '../saving/field-values.ts'
import { type FieldEditorProps, useFormDocument } from './field-editor.ts'
import styles from './json.module.css'
import { type ParsedJson, parseJson } from './value-formats.ts'

/** The editor of JSON. It keeps the text as typed, and passes on only valid JSON. */
export function JsonEditor({ field, label, place, value, onChange, error, isReadOnly }: FieldEditorProps): ReactNode {
  const { t } = useTexts()
  const { text: typedText, parsed, setText } = useTypedJson(place, value)
  // The typed text is shown unless the value has changed elsewhere.
  const isCurrent = parsed !== undefined && (!parsed.isValid || isSameValue(parsed.value, value ?? null))
  const fault =
    parsed && !parsed.isValid ? `${t.fields.badJson(parsed.line, parsed.column)} ${t.fields.badJsonKept}` : undefined
  const change = (text: string): void => {
    setText(text)
    const next = parseJson(text)
    if (next.isValid) onChange(next.value, { isTyping: true })
  }
  return (
    <div className={styles.json}>
      <TextField
        label={label}
        description={field.description}
        value={isCurrent && typedText !== undefined ? typedText : toText(value)}
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

interface TypedJson {
  /** `undefined` if the user has typed nothing since the editor was mounted. */
  readonly text: string | undefined
  readonly parsed: ParsedJson | undefined
  readonly setText: (text: string) => void
}

/** True if a place is inside a list, where another item may be at the same index now. */
const isInsideList = (place: string): boolean => /\.\d+(?:\.|$)/.test(place)

/** Keeps a text as typed. Invalid JSON survives the page in the local copy. */
function useTypedJson(place: string, value: unknown): TypedJson {
  const { getUnfinishedText, setUnfinishedText } = useFormDocument()
  const [text, setText] = useState(() => {
    const unfinished = getUnfinishedText(place)
    const isSameField = unfinished && (!isInsideList(place) || isSameValue(unfinished.value, value ?? null))
    return isSameField ? unfinished.text : undefined
  })
  const parsed = text === undefined ? undefined : parseJson(text)
  const isUnfinished = parsed !== undefined && !parsed.isValid
  const previousPlace = useRef(place)
  useEffect(() => {
    const hasMoved = previousPlace.current !== place && getUnfinishedText(previousPlace.current)?.text === text
    if (hasMoved) setUnfinishedText(previousPlace.current, undefined)
    previousPlace.current = place
    setUnfinishedText(place, isUnfinished ? { text: text ?? '', value: value ?? null } : undefined)
  }, [place, text, isUnfinished, value, getUnfinishedText, setUnfinishedText])
  return { text, parsed, setText }
}
