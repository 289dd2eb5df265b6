import type { FieldDescription } from 'daybook'
import { memo, type ReactNode, Suspense, useCallback, useMemo } from 'react'
import { useStudio } from '../api/studio.ts'
import { useTexts } from '../messages/messages.tsx'
import { getFormFields, toLabel } from '../model/studio-model.ts'
import { Button } from '../ui/controls/button.tsx'
import field from '../ui/controls/field.module.css'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { LoadingPlaceholder } from '../ui/loading-placeholder.tsx'
import { useEditorState } from './document/use-document.ts'
import styles from './editor.module.css'
import { CustomEditor } from './fields/custom-editor.tsx'
import {
  type EditOptions,
  type FieldEntryProps,
  type FieldIssues,
  FieldIssuesContext,
  type FormDocument,
  FormDocumentContext,
  useFieldIssue,
  useFormDocument,
} from './fields/field-editor.ts'
import { findEditor } from './fields/registry.tsx'
import { UnsupportedValue } from './fields/unsupported-value.tsx'
import { canShowValue } from './fields/value-formats.ts'
import type { DocumentEditor } from './saving/document-editor.ts'
import type { FieldPath } from './saving/document-fields.ts'

/** What a {@link FieldList} takes. */
export interface FieldListProps {
  readonly fields: readonly FieldDescription[]
  readonly editor: DocumentEditor
  readonly issues: FieldIssues
  readonly isReadOnly: boolean
  /** What the ids of the fields begin with. @default '' */
  readonly prefix?: string
  /** What stands in a field in grey while it is empty. */
  readonly getPlaceholder?: ((field: FieldDescription) => string | undefined) | undefined
  /** What stands beside each field, such as its source in another language. */
  readonly renderBeside?: ((field: FieldDescription) => ReactNode) | undefined
  /** What stands below each field. */
  readonly renderBelow?: ((field: FieldDescription) => ReactNode) | undefined
}

/** The fields of a document; a key draws them alone, and what stands around them later. */
export const FieldList = memo(function FieldList(props: FieldListProps): ReactNode {
  const {
    fields,
    editor,
    issues,
    isReadOnly,
    prefix = '',
    getPlaceholder: placeholderOf,
    renderBeside: beside,
    renderBelow: below,
  } = props
  const { values } = useEditorState(editor)
  const document = useFormDocumentValue(editor, prefix)
  const shown = useMemo(() => getFormFields(fields).map((one) => ({ one, path: [one.key] as FieldPath })), [fields])
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

/** One field of a form, wherever it stands; one that fails to draw takes no other down. */
const FieldEntry = memo(function FieldEntry(props: FieldEntryProps): ReactNode {
  const { description, path, place, value, isReadOnly, source, placeholder } = props
  const { t } = useTexts()
  const { edit, prefix } = useFormDocument()
  const error = useFieldIssue(place)
  const onChange = useCallback((next: unknown, options?: EditOptions) => edit(path, next, options), [edit, path])
  const label = props.label ?? toLabel(description.key)
  const { settings } = useStudio()
  const own = settings.editors?.[description.type]
  const known = own === undefined ? findEditor(description) : CustomEditor
  const Editor = own !== undefined || canShowValue(description, value) ? known : UnsupportedValue
  return (
    <ErrorBoundary fallback={() => <BrokenField label={label} value={value} />}>
      <div id={`${prefix}field-${place}`} data-field={place}>
        <Suspense fallback={<LoadingPlaceholder label={t.fields.waiting} lines={1} />}>
          <Editor
            field={description}
            label={label}
            path={path}
            place={place}
            value={value}
            onChange={onChange}
            error={error}
            isReadOnly={isReadOnly || !description.writable}
            source={source}
            placeholder={placeholder}
            Field={FieldEntry}
          />
        </Suspense>
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

/** What editors of fields share of a document that is open: the same object for as long as it is. */
function useFormDocumentValue(editor: DocumentEditor, prefix: string): FormDocument {
  return useMemo(
    () => ({
      name: editor.getState().document,
      prefix,
      edit: (path, value, options) => editor.edit(path, value, options),
      unfinishedAt: (place) => editor.getUnfinishedText(place),
      keepUnfinished: (place, unfinished) => editor.setUnfinishedText(place, unfinished),
    }),
    [editor, prefix],
  )
}
