import type { FieldDescription } from 'daybook'
import type { ReactNode } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { formFields, labelOf } from '../model/studio-model.ts'
import { Button } from '../ui/button.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import field from '../ui/field.module.css'
import styles from './editor.module.css'
import { editorOf } from './fields/registry.ts'
import type { DocumentForm } from './use-document-form.ts'

/** What a {@link FieldList} takes. */
export interface FieldListProps {
  readonly fields: readonly FieldDescription[]
  readonly form: DocumentForm
  /** What is wrong with each field, by its path. */
  readonly issues: ReadonlyMap<string, string>
  readonly isReadOnly: boolean
}

/** The fields of a document; one that fails to draw takes no other down. */
export function FieldList({ fields, form, issues, isReadOnly }: FieldListProps): ReactNode {
  return (
    <div className={styles.fields}>
      {formFields(fields).map((one) => {
        const Editor = editorOf(one)
        const value = form.values[one.key]
        return (
          <ErrorBoundary key={one.key} fallback={() => <BrokenField label={labelOf(one.key)} value={value} />}>
            <div id={`field-${one.key}`}>
              <Editor
                field={one}
                label={labelOf(one.key)}
                value={value}
                onChange={(next) => form.change(one.key, next)}
                error={issueOf(issues, one.key)}
                isReadOnly={isReadOnly || !one.writable}
              />
            </div>
          </ErrorBoundary>
        )
      })}
    </div>
  )
}

/** What is wrong with a field, or with something inside it. */
const issueOf = (issues: ReadonlyMap<string, string>, key: string): string | undefined =>
  issues.get(key) ?? [...issues].find(([path]) => path.startsWith(`${key}.`))?.[1]

/** What stands in the place of a field that cannot be drawn: its text can be copied. */
function BrokenField({ label, value }: { readonly label: string; readonly value: unknown }): ReactNode {
  const { t } = useTexts()
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
  return (
    <div className={field.field} role="alert">
      <p className={field.label}>
        {label}: {t.editor.broken}
      </p>
      <p className={field.description}>{t.editor.brokenText}</p>
      <pre className={field.value}>{text}</pre>
      <div>
        <Button icon="copy" onPress={() => void navigator.clipboard.writeText(text)}>
          {t.common.copyText}
        </Button>
      </div>
    </div>
  )
}
