import { isFieldShown } from 'daybook/show-if'
import { memo, type ReactNode, Suspense, useCallback, useMemo } from 'react'
import { useStudio } from '../api/studio.ts'
import { useTexts } from '../messages/messages.tsx'
import { getFormFields, type StudioField, type StudioForm } from '../model/studio-model.ts'
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
  getSource,
  useFieldIssue,
  useFormDocument,
} from './fields/field-editor.ts'
import { findEditor } from './fields/registry.tsx'
import { UnsupportedValue } from './fields/unsupported-value.tsx'
import { canShowValue } from './fields/value-formats.ts'
import { FormLayout } from './form-layout.tsx'
import type { DocumentEditor } from './saving/document-editor.ts'
import type { FieldPath } from './saving/document-fields.ts'

export interface FieldListProps {
  readonly fields: readonly StudioField[]
  /** The arrangement of the fields. @default one below the other */
  readonly form?: StudioForm | undefined
  readonly editor: DocumentEditor
  readonly issues: FieldIssues
  readonly isReadOnly: boolean
  /** The prefix of the element ids. @default '' */
  readonly prefix?: string
  readonly getPlaceholder?: ((field: StudioField) => string | undefined) | undefined
  /** Renders something beside each field, such as its source in another language. */
  readonly renderBeside?: ((field: StudioField) => ReactNode) | undefined
  readonly renderBelow?: ((field: StudioField) => ReactNode) | undefined
}

/** The fields of a document. Typing renders only these at once; everything around them follows in a transition. */
export const FieldList = memo(function FieldList(props: FieldListProps): ReactNode {
  const { fields, form, editor, issues, isReadOnly, prefix = '', getPlaceholder, renderBeside, renderBelow } = props
  const { values } = useEditorState(editor)
  const document = useFormDocumentValue(editor, prefix)
  const entries = useMemo(
    () => getFormFields(fields).map((description) => ({ description, path: [description.key] as FieldPath })),
    [fields],
  )
  const shownEntries = new Map(
    entries
      .filter(({ description }) => isFieldShown(description.showIf, values))
      .map((entry) => [entry.description.key, entry] as const),
  )
  // Fields of the side panel are not arranged; a page without one shows them last.
  const arranged = new Set(form?.tabs.flatMap(({ parts }) => parts.flatMap(({ rows }) => rows.flat())))
  const renderField = (key: string): ReactNode => {
    const entry = shownEntries.get(key)
    if (!entry) return null
    const { description, path } = entry
    return (
      <div key={key} className={renderBeside && styles.pair}>
        <div className={styles.field}>
          <FieldEntry
            description={description}
            path={path}
            place={key}
            value={values[key]}
            isReadOnly={isReadOnly}
            placeholder={getPlaceholder?.(description)}
            {...getSource(description, fields, values)}
          />
          {renderBelow?.(description)}
        </div>
        {renderBeside?.(description)}
      </div>
    )
  }
  return (
    <FormDocumentContext value={document}>
      <FieldIssuesContext value={issues}>
        <div className={styles.fields}>
          {form ? (
            <FormLayout
              form={form}
              document={editor.getState().document.collection}
              issues={issues}
              isShown={(key) => shownEntries.has(key)}
              renderField={renderField}
              isStacked={renderBeside !== undefined}
            />
          ) : null}
          {[...shownEntries.keys()].filter((key) => !arranged.has(key)).map(renderField)}
        </div>
      </FieldIssuesContext>
    </FormDocumentContext>
  )
})

/** One field of a form, at any depth. If it fails to render, the other fields stay intact. */
const FieldEntry = memo(function FieldEntry(props: FieldEntryProps): ReactNode {
  const { description, path, place, value, isReadOnly, source, sourceLabel, placeholder } = props
  const { t } = useTexts()
  const { edit, prefix } = useFormDocument()
  const error = useFieldIssue(place)
  const onChange = useCallback((next: unknown, options?: EditOptions) => edit(path, next, options), [edit, path])
  const label = props.label ?? description.label
  const { settings } = useStudio()
  const isCustom = settings.editors?.[description.type] !== undefined
  const TypeEditor = isCustom ? CustomEditor : findEditor(description)
  const Editor = isCustom || canShowValue(description, value) ? TypeEditor : UnsupportedValue
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
            sourceLabel={sourceLabel}
            placeholder={placeholder}
            Field={FieldEntry}
          />
        </Suspense>
      </div>
    </ErrorBoundary>
  )
})

/** Replaces a field that failed to render, and shows its value for copying. */
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

/** Creates the context value for the fields of an editor. It stays the same object while the editor is open. */
function useFormDocumentValue(editor: DocumentEditor, prefix: string): FormDocument {
  return useMemo(
    () => ({
      documentRef: editor.getState().document,
      prefix,
      edit: (path, value, options) => editor.edit(path, value, options),
      getUnfinishedText: (place) => editor.getUnfinishedText(place),
      setUnfinishedText: (place, unfinished) => editor.setUnfinishedText(place, unfinished),
    }),
    [editor, prefix],
  )
}
