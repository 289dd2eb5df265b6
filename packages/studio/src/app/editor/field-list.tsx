import type { FieldDescription } from 'daybook'
import { type ReactNode, useMemo } from 'react'
import { formFields } from '../model/studio-model.ts'
import styles from './editor.module.css'
import { FieldEntry } from './field-entry.tsx'
import { type FieldIssues, FieldIssuesContext } from './field-issues.ts'
import { type FormDocument, FormDocumentContext } from './form-document.ts'
import type { FieldPath } from './saving/field-path.ts'
import type { Values } from './saving/saved-field.ts'

/** What a {@link FieldList} takes. */
export interface FieldListProps {
  readonly fields: readonly FieldDescription[]
  readonly document: FormDocument
  readonly values: Values
  readonly issues: FieldIssues
  readonly isReadOnly: boolean
}

/** The fields of a document. */
export function FieldList({ fields, document, values, issues, isReadOnly }: FieldListProps): ReactNode {
  const shown = useMemo(() => formFields(fields).map((one) => ({ one, path: [one.key] as FieldPath })), [fields])
  return (
    <FormDocumentContext value={document}>
      <FieldIssuesContext value={issues}>
        <div className={styles.fields}>
          {shown.map(({ one, path }) => (
            <FieldEntry
              key={one.key}
              description={one}
              path={path}
              place={one.key}
              value={values[one.key]}
              isReadOnly={isReadOnly}
              {...(one.from === undefined ? {} : { source: values[one.from] })}
            />
          ))}
        </div>
      </FieldIssuesContext>
    </FormDocumentContext>
  )
}
