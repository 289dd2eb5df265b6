import type { ReactNode } from 'react'
import { useTexts } from '../../../messages/messages.tsx'
import { Select } from '../../../ui/controls/select.tsx'
import type { FieldEditorProps } from '../field-editor.ts'

/** Empties the field. */
const NONE = ''

/** The editor of one of a few values. */
export function SelectEditor({ field, label, value, onChange, error, isReadOnly }: FieldEditorProps): ReactNode {
  const { t } = useTexts()
  const own = typeof value === 'string' ? value : null
  const known = field.options ?? []
  // A value of an older config is shown, too.
  const all = own === null || known.includes(own) ? known : [own, ...known]
  const none = field.required || own === null ? [] : [{ id: NONE, label: t.common.nothingChosen }]
  return (
    <Select
      label={label}
      description={field.description}
      value={own}
      options={[...all.map((one) => ({ id: one, label: one })), ...none]}
      onChange={(chosen) => onChange(chosen === NONE ? null : chosen)}
      placeholder={t.common.nothingChosen}
      error={error}
      isDisabled={isReadOnly}
      isRequired={field.required}
    />
  )
}
