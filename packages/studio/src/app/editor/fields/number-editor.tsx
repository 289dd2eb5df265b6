import { type ReactNode, useState } from 'react'
import { TextField } from '../../ui/text-field.tsx'
import type { FieldEditorProps } from './field-editor.ts'

/** The editor of numbers: what is typed stays as it was typed, also while it is no number yet. */
export function NumberEditor({ field, label, value, onChange, error, isReadOnly }: FieldEditorProps): ReactNode {
  const [typed, setTyped] = useState<string>()
  const shown = typed !== undefined && toNumber(typed) === (value ?? null) ? typed : textOf(value)
  return (
    <TextField
      label={label}
      description={field.description}
      value={shown}
      onChange={(text) => {
        setTyped(text)
        onChange(toNumber(text))
      }}
      inputMode={field.type === 'integer' ? 'numeric' : 'decimal'}
      error={error}
      isReadOnly={isReadOnly}
      isRequired={field.required}
      isNarrow
    />
  )
}

const textOf = (value: unknown): string => (value === null || value === undefined ? '' : String(value))

/** A text that is no number is passed on: the service says what is wrong with it. */
function toNumber(text: string): number | string | null {
  if (text.trim() === '') return null
  const number = Number(text.replace(',', '.'))
  return Number.isFinite(number) ? number : text
}
