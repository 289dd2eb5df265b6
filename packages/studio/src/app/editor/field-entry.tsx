import type { FieldDescription } from 'daybook'
import { memo, type ReactNode, useCallback } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { labelOf } from '../model/studio-model.ts'
import { Button } from '../ui/button.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import field from '../ui/field.module.css'
import { useFieldIssue } from './field-issues.ts'
import { editorOf } from './fields/registry.ts'
import { type EditOptions, useFormDocument } from './form-document.ts'
import type { FieldPath } from './saving/field-path.ts'

/** What a {@link FieldEntry} takes. */
export interface FieldEntryProps {
  readonly description: FieldDescription
  /** Where its value stands. The same array as long as the place is the same, so that nothing is drawn anew. */
  readonly path: FieldPath
  /** The same with dots between, items by their index. */
  readonly place: string
  readonly value: unknown
  readonly isReadOnly: boolean
}

/** One field of a form, wherever it stands; one that fails to draw takes no other down. */
export const FieldEntry = memo(function FieldEntry(props: FieldEntryProps): ReactNode {
  const { description, path, place, value, isReadOnly } = props
  const { edit } = useFormDocument()
  const error = useFieldIssue(place)
  const onChange = useCallback((next: unknown, options?: EditOptions) => edit(path, next, options), [edit, path])
  const Editor = editorOf(description)
  const label = labelOf(description.key)
  return (
    <ErrorBoundary fallback={() => <BrokenField label={label} value={value} />}>
      <div id={`field-${place}`}>
        <Editor
          field={description}
          label={label}
          path={path}
          place={place}
          value={value}
          onChange={onChange}
          error={error}
          isReadOnly={isReadOnly || !description.writable}
        />
      </div>
    </ErrorBoundary>
  )
})

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
