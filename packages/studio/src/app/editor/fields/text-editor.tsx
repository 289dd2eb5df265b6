import type { ReactNode } from 'react'
import { TextField, type TextFieldProps } from '../../ui/text-field.tsx'
import type { FieldEditorProps } from './field-editor.ts'

/** What the keyboards of phones are told, by the type of the field. */
const INPUTS: Readonly<Record<string, Pick<TextFieldProps, 'inputMode' | 'isLong' | 'spellCheck'>>> = {
  email: { inputMode: 'email', spellCheck: 'false' },
  url: { inputMode: 'url', spellCheck: 'false' },
  slug: { spellCheck: 'false' },
}

/** The editor of texts, of one line and of many. */
export function TextEditor({ field, label, value, onChange, error, isReadOnly }: FieldEditorProps): ReactNode {
  return (
    <TextField
      {...INPUTS[field.type]}
      label={label}
      description={field.description}
      value={typeof value === 'string' ? value : ''}
      onChange={(text) => onChange(text === '' ? null : text, { isTyping: true })}
      error={error}
      isReadOnly={isReadOnly}
      isRequired={field.required}
    />
  )
}
