import type { FieldDescription } from 'daybook'
import { lazy, type ReactNode, Suspense } from 'react'
import { useStudio } from '../../talk/studio.ts'
import { hasPlaceholder } from '../fields/registry.ts'
import type { DocumentEditor } from '../saving/document-editor.ts'
import type { EditorState } from '../saving/editor-state.ts'
import { plainValue } from '../saving/merging/plain-value.ts'
import type { Values } from '../saving/saved-field.ts'
import { FallbackHint } from './fallback-hint.tsx'
import { fallbackOf } from './fallback-of.ts'
import type { LanguageCalls } from './language-calls.ts'
import { isEmpty, isTranslated } from './locale-values.ts'
import { useLanguages } from './use-languages.ts'

const LanguageBar = lazy(async () => ({ default: (await import('./language-bar.tsx')).LanguageBar }))
const SourceValue = lazy(async () => ({ default: (await import('./source-value.tsx')).SourceValue }))

/** What a form in several languages is made from. */
export interface LanguageFormOptions {
  readonly fields: readonly FieldDescription[]
  readonly editor: DocumentEditor
  readonly state: EditorState
  /** Absent: the document is not stored yet. */
  readonly calls: LanguageCalls | undefined
  readonly isReadOnly: boolean
  /** Whether the source stands beside each field. */
  readonly isBeside: boolean
  readonly onBeside: (isBeside: boolean) => void
}

/** What a form shows of the languages of its document; nothing where its content has one language. */
export interface LanguageForm {
  readonly bar?: ReactNode
  /** What the language says that others are translated from. */
  readonly sourceValues?: Values
  readonly beside?: (field: FieldDescription) => ReactNode
  readonly below?: (field: FieldDescription) => ReactNode
  /** What readers see of a field that is empty, where it can show that itself. */
  readonly placeholderOf?: (field: FieldDescription) => string | undefined
}

/** The languages of a document that is open in a form. */
export function useLanguageForm(options: LanguageFormOptions): LanguageForm {
  const { fields, editor, state, calls, isReadOnly, isBeside, onBeside } = options
  const languages = useLanguages(fields, state, calls)
  const { settings } = useStudio()
  if (!languages) return {}
  const { locale, source, valuesIn } = languages
  const sourceValues = valuesIn(source) ?? {}
  const missing = fields.filter(
    ({ key, writable, localized }) =>
      localized && writable && isEmpty(state.values[key]) && !isEmpty(sourceValues[key]),
  )
  const copyMissing = (): void => {
    for (const field of missing) editor.edit([field.key], plainValue(field, sourceValues[field.key]))
  }
  const isTranslation = locale !== source
  const showsItself = (field: FieldDescription): boolean =>
    settings.editors?.[field.type] === undefined && hasPlaceholder(field)
  return {
    sourceValues,
    bar: (
      <Suspense>
        <LanguageBar
          languages={languages}
          isBeside={isBeside}
          onBeside={onBeside}
          onCopyMissing={isReadOnly || missing.length === 0 ? undefined : copyMissing}
        />
      </Suspense>
    ),
    ...(isTranslation
      ? {
          below: (field) => <FallbackHint field={field} languages={languages} isShown={showsItself(field)} />,
          placeholderOf: (field) => (showsItself(field) ? fallbackOf(field, languages)?.text : undefined),
        }
      : {}),
    ...(isTranslation && isBeside
      ? {
          beside: (field) => (
            <Suspense>
              <SourceValue
                field={field}
                languages={languages}
                onCopy={
                  isReadOnly || !field.writable || !isTranslated(field)
                    ? undefined
                    : (value) => editor.edit([field.key], value)
                }
              />
            </Suspense>
          ),
        }
      : {}),
  }
}
