import { memo, type ReactNode, Suspense, useCallback } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { labelOf } from '../model/studio-model.ts'
import { useStudio } from '../talk/studio.ts'
import { Button } from '../ui/controls/button.tsx'
import field from '../ui/controls/field.module.css'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { Waiting } from '../ui/waiting.tsx'
import { useFieldIssue } from './field-issues.ts'
import type { FieldEntryProps } from './fields/field-editor.ts'
import { OldValue } from './fields/old-value.tsx'
import { OwnEditor } from './fields/own/own-editor.tsx'
import { editorOf } from './fields/registry.ts'
import { holdsShape } from './fields/value-shape.ts'
import { type EditOptions, useFormDocument } from './form-document.ts'

export type { FieldEntryProps }

/** One field of a form, wherever it stands; one that fails to draw takes no other down. */
export const FieldEntry = memo(function FieldEntry(props: FieldEntryProps): ReactNode {
  const { description, path, place, value, isReadOnly, source, placeholder } = props
  const { t } = useTexts()
  const { edit, prefix } = useFormDocument()
  const error = useFieldIssue(place)
  const onChange = useCallback((next: unknown, options?: EditOptions) => edit(path, next, options), [edit, path])
  const label = props.label ?? labelOf(description.key)
  const { settings } = useStudio()
  const own = settings.editors?.[description.type]
  const known = own === undefined ? editorOf(description) : OwnEditor
  const Editor = own !== undefined || holdsShape(description, value) ? known : OldValue
  return (
    <ErrorBoundary fallback={() => <BrokenField label={label} value={value} />}>
      <div id={`${prefix}field-${place}`} data-field={place}>
        <Suspense fallback={<Waiting label={t.fields.waiting} lines={1} />}>
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
