import { slugify } from 'daybook/slugs'
import { type ReactNode, useId, useState } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { toLabel } from '../../model/studio-model.ts'
import { Button } from '../../ui/controls/button.tsx'
import { TextField, type TextFieldProps } from '../../ui/controls/text-field.tsx'
import type { FieldEditorProps } from './field-editor.ts'
import styles from './simple-editors.module.css'
import { formatNumber, parseNumber } from './value-formats.ts'

/** Input properties by field type, such as the kind of on-screen keyboard. */
const INPUT_PROPS: Readonly<
  Record<string, Pick<TextFieldProps, 'inputMode' | 'isMultiline' | 'spellCheck' | 'autoComplete'>>
> = {
  email: { inputMode: 'email', spellCheck: 'false', autoComplete: 'off' },
  url: { inputMode: 'url', spellCheck: 'false', autoComplete: 'off' },
}

/** Texts that may be longer than this get several lines. */
const MAX_LINE_LENGTH = 512

/** The editor of texts with one or several lines. A text with a colour pattern also gets a colour picker. */
export function TextEditor(props: FieldEditorProps): ReactNode {
  const { field, label, value, onChange, error, isReadOnly, placeholder } = props
  const { maxLength, pattern } = field.schema
  const text = (
    <TextField
      isMultiline={field.type === 'text' && typeof maxLength === 'number' && maxLength > MAX_LINE_LENGTH}
      {...INPUT_PROPS[field.type]}
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
    <div className={styles.colour}>
      <ColourPicker {...props} />
      {text}
    </div>
  ) : (
    text
  )
}

/** Returns true if a pattern accepts colours such as `#1f5fbf`, and nothing else. */
function isColourPattern(pattern: string): boolean {
  try {
    const regExp = new RegExp(pattern, 'u')
    return regExp.test('#1f5fbf') && regExp.test('#000000') && !regExp.test('#zzzzzz') && !regExp.test('1f5fbf')
  } catch {
    return false
  }
}

function ColourPicker({ label, value, onChange, isReadOnly }: FieldEditorProps): ReactNode {
  const id = useId()
  return (
    <input
      id={id}
      type="color"
      aria-label={label}
      value={typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value) ? value : '#000000'}
      disabled={isReadOnly}
      onChange={(event) => onChange(event.target.value, { isTyping: true })}
      className={styles.well}
    />
  )
}

/** The editor of numbers. The text stays as typed, even while it is no number yet. */
export function NumberEditor({ field, label, value, onChange, error, isReadOnly }: FieldEditorProps): ReactNode {
  const { locale } = useTexts()
  const [typedText, setTypedText] = useState<string>()
  // Any other text is passed on unchanged, so that the service reports it.
  const parse = (text: string): number | string | null =>
    text.trim() === '' ? null : (parseNumber(text, locale) ?? text)
  const storedText = typeof value === 'number' ? formatNumber(value, locale) : String(value ?? '')
  return (
    <TextField
      label={label}
      description={field.description}
      value={typedText !== undefined && parse(typedText) === (value ?? null) ? typedText : storedText}
      onChange={(text) => {
        setTypedText(text)
        onChange(parse(text), { isTyping: true })
      }}
      inputMode={field.type === 'integer' && !allowsNegative(field.schema.minimum) ? 'numeric' : 'decimal'}
      error={error}
      isReadOnly={isReadOnly}
      isRequired={field.required}
      isNarrow
    />
  )
}

/** Returns true if negative numbers are possible. On-screen keyboards for integers often lack a minus sign. */
const allowsNegative = (minimum: unknown): boolean => typeof minimum !== 'number' || minimum < 0

export function SlugEditor({
  field,
  label,
  value,
  onChange,
  error,
  isReadOnly,
  source,
  sourceLabel,
}: FieldEditorProps): ReactNode {
  const { t } = useTexts()
  const generatedSlug = typeof source === 'string' ? slugify(source) : ''
  const hint = field.from === undefined ? undefined : t.fields.madeFrom(sourceLabel ?? toLabel(field.from))
  return (
    <div className={styles.slug}>
      <TextField
        label={label}
        description={[field.description, hint].filter(Boolean).join(' ') || undefined}
        value={typeof value === 'string' ? value : ''}
        onChange={(text) => onChange(text === '' ? null : text, { isTyping: true })}
        error={error}
        isReadOnly={isReadOnly}
        isRequired={field.required}
        spellCheck="false"
        autoComplete="off"
        placeholder={generatedSlug}
      />
      {!isReadOnly && generatedSlug !== '' && generatedSlug !== value && (
        <Button onPress={() => onChange(generatedSlug)}>{t.fields.regenerate}</Button>
      )}
    </div>
  )
}
