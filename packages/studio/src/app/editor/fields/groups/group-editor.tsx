import { type ReactNode, useId } from 'react'
import field from '../../../ui/controls/field.module.css'
import type { FieldEditorProps } from '../field-editor.ts'
import styles from './group.module.css'
import { GroupFields } from './group-fields.tsx'

/** The editor of fields that belong together. */
export function GroupEditor(props: FieldEditorProps): ReactNode {
  const { field: own, label, path, place, value, error, isReadOnly, Field } = props
  const id = useId()
  return (
    <fieldset className={styles.group} aria-describedby={`${id}-note ${id}-error`}>
      <legend className={styles.legend}>{label}</legend>
      <p id={`${id}-note`} className={field.description} hidden={own.description === undefined}>
        {own.description}
      </p>
      <p id={`${id}-error`} className={field.error} hidden={error === undefined}>
        {error}
      </p>
      <GroupFields
        fields={own.fields ?? []}
        path={path}
        place={place}
        value={value}
        isReadOnly={isReadOnly}
        Field={Field}
      />
    </fieldset>
  )
}
