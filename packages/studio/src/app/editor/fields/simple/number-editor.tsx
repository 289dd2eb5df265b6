import { type ReactNode, useState } from 'react'
import { useTexts } from '../../../messages/messages.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import type { FieldEditorProps } from '../field-editor.ts'
import { readNumber, writeNumber } from './numbers.ts'

/** The editor of numbers: what is typed stays as it was typed, also while it is no number yet. */
export function NumberEditor({ field, label, value, onChange, error, isReadOnly }: FieldEditorProps): ReactNode {
  const { locale } = useTexts()
  const [typed, setTyped] = useState<string>()
  // A text that is no number is passed on: the service says what is wrong with it.
  const read = (text: string): number | string | null =>
    text.trim() === '' ? null : (readNumber(text, locale) ?? text)
  const stored = typeof value === 'number' ? writeNumber(value, locale) : String(value ?? '')
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
