import { type ReactNode, useId, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { TextField, type TextFieldProps } from '../../ui/controls/text-field.tsx'
import own from './choices.module.css'
import type { FieldEditorProps } from './field-editor.ts'
import { formatNumber, parseNumber } from './value-formats.ts'

/** What the keyboards of phones are told, by the type of the field. */
const INPUTS: Readonly<
  Record<string, Pick<TextFieldProps, 'inputMode' | 'isMultiline' | 'spellCheck' | 'autoComplete'>>
> = {
  email: { inputMode: 'email', spellCheck: 'false', autoComplete: 'off' },
  url: { inputMode: 'url', spellCheck: 'false', autoComplete: 'off' },
}

/** Texts that may be longer take several lines. */
const LINE = 512

/** The editor of texts, of one line and of many. */
export function TextEditor(props: FieldEditorProps): ReactNode {
  const { field, label, value, onChange, error, isReadOnly, placeholder } = props
  const { maxLength, pattern } = field.schema
  const text = (
    <TextField
      isMultiline={field.type === 'text' && typeof maxLength === 'number' && maxLength > LINE}
      {...INPUTS[field.type]}
      label={label}
      description={field.description}
      value={typeof value === 'string' ? value : ''}
      onChange={(next) => onChange(next === '' ? null : next, { isTyping: true })}
      error={error}
      isReadOnly={isReadOnly}
      isRequired={field.required}
      {...(placeholder === undefined ? {} : { placeholder })}
    />
  )
  return typeof pattern === 'string' && isColourPattern(pattern) ? (
    <div className={own.colour}>
      <ColourWell {...props} />
      {text}
    </div>
  ) : (
    text
  )
}

/** Whether a text that matches is a colour as `#rrggbb`. */
function isColourPattern(pattern: string): boolean {
  try {
    const matches = new RegExp(pattern, 'u')
    return matches.test('#1f5fbf') && matches.test('#000000') && !matches.test('#zzzzzz') && !matches.test('1f5fbf')
  } catch {
    return false
  }
}

function ColourWell({ label, value, onChange, isReadOnly }: FieldEditorProps): ReactNode {
  const id = useId()
  return (
    <input
      id={id}
      type="color"
      aria-label={label}
      value={typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value) ? value : '#000000'}
      disabled={isReadOnly}
      onChange={(event) => onChange(event.target.value, { isTyping: true })}
      className={own.well}
    />
  )
}

/** The editor of numbers: what is typed stays as it was typed, also while it is no number yet. */
export function NumberEditor({ field, label, value, onChange, error, isReadOnly }: FieldEditorProps): ReactNode {
  const { locale } = useTexts()
  const [typed, setTyped] = useState<string>()
  // A text that is no number is passed on: the service says what is wrong with it.
  const read = (text: string): number | string | null =>
    text.trim() === '' ? null : (parseNumber(text, locale) ?? text)
  const stored = typeof value === 'number' ? formatNumber(value, locale) : String(value ?? '')
  return (
    <TextField
      label={label}
      description={field.description}
      value={typed !== undefined && read(typed) === (value ?? null) ? typed : stored}
      onChange={(text) => {
        setTyped(text)
        onChange(read(text), { isTyping: true })
      }}
      inputMode={field.type === 'integer' && !isSigned(field.schema.minimum) ? 'numeric' : 'decimal'}
      error={error}
      isReadOnly={isReadOnly}
      isRequired={field.required}
      isNarrow
    />
  )
}

/** Keyboards for whole numbers often have no minus. */
const isSigned = (minimum: unknown): boolean => typeof minimum !== 'number' || minimum < 0
