import type { FieldDescription } from 'daybook'
import { type ReactNode, useMemo } from 'react'
import { formFields } from '../model/studio-model.ts'
import styles from './editor.module.css'
import { FieldEntry } from './field-entry.tsx'
import { FieldIssuesContext } from './field-issues.ts'
import { FormDocumentContext } from './form-document.ts'
import type { FieldPath } from './saving/field-path.ts'
import type { DocumentForm } from './use-document-form.ts'

/** What a {@link FieldList} takes. */
export interface FieldListProps {
  readonly fields: readonly FieldDescription[]
  readonly form: DocumentForm
  /** What is wrong with each field, by its place. */
  readonly issues: ReadonlyMap<string, string>
  readonly isReadOnly: boolean
}

/** The fields of a document. */
export function FieldList({ fields, form, issues, isReadOnly }: FieldListProps): ReactNode {
  const shown = useMemo(() => formFields(fields).map((one) => ({ one, path: [one.key] as FieldPath })), [fields])
  return (
    <FormDocumentContext value={form.document}>
      <FieldIssuesContext value={issues}>
        <div className={styles.fields}>
          {shown.map(({ one, path }) => (
            <FieldEntry
              key={one.key}
              description={one}
              path={path}
              place={one.key}
              value={form.values[one.key]}
              isReadOnly={isReadOnly}
              {...(one.from === undefined ? {} : { source: form.values[one.from] })}
            />
          ))}
        </div>
      </FieldIssuesContext>
    </FormDocumentContext>
  )
}
