import { isFieldShown } from 'daybook/show-if'
import { type ReactNode, useContext, useId, useMemo } from 'react'
import type { StudioField } from '../../model/studio-model.ts'
import fieldStyles from '../../ui/controls/field.module.css'
import type { FieldPath } from '../saving/document-fields.ts'
import { isRecord } from '../saving/field-values.ts'
import { type FieldEditorProps, FieldIssuesContext, getSource, hasIssueIn, useFormDocument } from './field-editor.ts'
import styles from './group.module.css'
import { Section } from './section.tsx'

export function GroupEditor(props: FieldEditorProps): ReactNode {
  const { field, label, path, place, value, error, isReadOnly, Field } = props
  const id = useId()
  const issues = useContext(FieldIssuesContext)
  const { documentRef } = useFormDocument()
  if (field.layout === 'collapsed') {
    return (
      <Section
        label={label}
        description={field.description}
        name={`${documentRef.collection}.${path.filter((step) => typeof step === 'string').join('.')}`}
        isClosedAtFirst
        isFaulty={hasIssueIn(issues, [place])}
      >
        <p className={fieldStyles.error} hidden={error === undefined}>
          {error}
        </p>
        <GroupFields {...{ path, place, value, isReadOnly, Field }} fields={field.fields ?? []} />
      </Section>
    )
  }
  return (
    <fieldset className={styles.group} aria-describedby={`${id}-note ${id}-error`}>
      <legend className={styles.legend}>{label}</legend>
      <p id={`${id}-note`} className={fieldStyles.description} hidden={field.description === undefined}>
        {field.description}
      </p>
      <p id={`${id}-error`} className={fieldStyles.error} hidden={error === undefined}>
        {error}
      </p>
      <GroupFields
        fields={field.fields ?? []}
        path={path}
        place={place}
        value={value}
        isReadOnly={isReadOnly}
        Field={Field}
        isRow={field.layout === 'row'}
      />
    </fieldset>
  )
}

interface GroupFieldsProps extends Pick<FieldEditorProps, 'path' | 'place' | 'value' | 'isReadOnly' | 'Field'> {
  readonly fields: readonly StudioField[]
  /** True for fields side by side. @default false */
  readonly isRow?: boolean
}

/** The fields of a group or a block, without those whose condition does not hold. */
export function GroupFields({
  fields,
  path,
  place,
  value,
  isReadOnly,
  Field,
  isRow = false,
}: GroupFieldsProps): ReactNode {
  const entries = useMemo(
    () =>
      fields.map((description) => ({
        description,
        path: [...path, description.key] as FieldPath,
        place: `${place}.${description.key}`,
      })),
    [fields, path, place],
  )
  const values = isRecord(value) ? value : {}
  return (
    <div className={isRow ? styles.row : styles.fields}>
      {entries
        .filter(({ description }) => isFieldShown(description.showIf, values))
        .map(({ description, ...location }) => (
          <Field
            key={description.key}
            description={description}
            path={location.path}
            place={location.place}
            value={values[description.key]}
            isReadOnly={isReadOnly}
            {...getSource(description, fields, values)}
          />
        ))}
    </div>
  )
}
