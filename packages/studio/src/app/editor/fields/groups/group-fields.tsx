import type { FieldDescription } from 'daybook'
import { type ReactNode, useMemo } from 'react'
import type { FieldPath } from '../../saving/field-path.ts'
import { isRecord } from '../../saving/saved-field.ts'
import type { FieldEditorProps } from '../field-editor.ts'
import styles from './group.module.css'

/** What {@link GroupFields} take. */
export interface GroupFieldsProps extends Pick<FieldEditorProps, 'path' | 'place' | 'value' | 'isReadOnly' | 'Field'> {
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
