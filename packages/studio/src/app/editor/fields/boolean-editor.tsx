import type { ReactNode } from 'react'
import { Switch } from '../../ui/switch.tsx'
import type { FieldEditorProps } from './field-editor.ts'

/** The editor of yes and no. */
export const BooleanEditor = ({ field, label, value, onChange, error, isReadOnly }: FieldEditorProps): ReactNode => (
  <Switch
    label={label}
    description={field.description}
    value={value === true}
    onChange={onChange}
    error={error}
    isDisabled={isReadOnly}
  />
)
