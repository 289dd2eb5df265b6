import type { FieldDescription } from 'daybook'
import { memo, type ReactNode, useMemo } from 'react'
import { formFields } from '../model/studio-model.ts'
import { useEditorState } from './document/use-document.ts'
import { useOwnFormDocument } from './document/use-form-document.ts'
import styles from './editor.module.css'
import { FieldEntry } from './field-entry.tsx'
import { type FieldIssues, FieldIssuesContext } from './field-issues.ts'
import { FormDocumentContext } from './form-document.ts'
import type { DocumentEditor } from './saving/document-editor.ts'
import type { FieldPath } from './saving/field-path.ts'

/** What a {@link FieldList} takes. */
export interface FieldListProps {
  readonly fields: readonly FieldDescription[]
  readonly editor: DocumentEditor
  readonly issues: FieldIssues
  readonly isReadOnly: boolean
  /** What the ids of the fields begin with. @default '' */
  readonly prefix?: string
  /** What stands in a field in grey while it is empty. */
  readonly placeholderOf?: ((field: FieldDescription) => string | undefined) | undefined
  /** What stands beside each field, such as its source in another language. */
  readonly beside?: ((field: FieldDescription) => ReactNode) | undefined
  /** What stands below each field. */
  readonly below?: ((field: FieldDescription) => ReactNode) | undefined
}

/** The fields of a document; a key draws them alone, and what stands around them later. */
export const FieldList = memo(function FieldList(props: FieldListProps): ReactNode {
  const { fields, editor, issues, isReadOnly, prefix = '', placeholderOf, beside, below } = props
  const { values } = useEditorState(editor)
  const document = useOwnFormDocument(editor, prefix)
  const shown = useMemo(() => formFields(fields).map((one) => ({ one, path: [one.key] as FieldPath })), [fields])
  return (
    <FormDocumentContext value={document}>
      <FieldIssuesContext value={issues}>
        <div className={styles.fields}>
          {shown.map(({ one, path }) => (
            <div key={one.key} className={beside && styles.pair}>
              <div className={styles.own}>
                <FieldEntry
                  description={one}
                  path={path}
                  place={one.key}
                  value={values[one.key]}
                  isReadOnly={isReadOnly}
                  placeholder={placeholderOf?.(one)}
                  {...(one.from === undefined ? {} : { source: values[one.from] })}
                />
                {below?.(one)}
              </div>
              {beside?.(one)}
            </div>
          ))}
        </div>
      </FieldIssuesContext>
    </FormDocumentContext>
  )
})
