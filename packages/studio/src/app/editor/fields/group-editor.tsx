import type { FieldDescription } from 'daybook'
import { type ReactNode, useId, useMemo } from 'react'
import field from '../../ui/controls/field.module.css'
import type { FieldPath } from '../saving/document-fields.ts'
import { isRecord } from '../saving/field-values.ts'
import type { FieldEditorProps } from './field-editor.ts'
import styles from './group.module.css'

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

/** What {@link GroupFields} take. */
interface GroupFieldsProps extends Pick<FieldEditorProps, 'path' | 'place' | 'value' | 'isReadOnly' | 'Field'> {
  readonly fields: readonly FieldDescription[]
}

/** The fields of a group, or of a block. */
export function GroupFields({ fields, path, place, value, isReadOnly, Field }: GroupFieldsProps): ReactNode {
  const inner = useMemo(
    () => fields.map((one) => ({ one, path: [...path, one.key] as FieldPath, place: `${place}.${one.key}` })),
    [fields, path, place],
  )
  const values = isRecord(value) ? value : {}
  return (
    <div className={styles.fields}>
      {inner.map(({ one, ...where }) => (
        <Field
          key={one.key}
          description={one}
          path={where.path}
          place={where.place}
          value={values[one.key]}
          isReadOnly={isReadOnly}
          {...(one.from === undefined ? {} : { source: values[one.from] })}
        />
      ))}
    </div>
  )
}
