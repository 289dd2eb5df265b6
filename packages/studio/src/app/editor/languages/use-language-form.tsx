import { lazy, type ReactNode, Suspense } from 'react'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import type { StudioField } from '../../model/studio-model.ts'
import { toComparableText } from '../differences/text-difference.ts'
import { hasPlaceholder } from '../fields/registry.tsx'
import type { DocumentEditor } from '../saving/document-editor.ts'
import type { EditorState } from '../saving/editor-state.ts'
import { toPlainValue, type Values } from '../saving/field-values.ts'
import styles from './languages.module.css'
import { isEmpty, isTranslated } from './locale-values.ts'
import type { SourceValueProps } from './source-value.tsx'
import { type DocumentLanguages, type LanguageCalls, useLanguages, useLocaleName } from './use-languages.ts'

const LanguageBar = lazy(async () => ({ default: (await import('./language-bar.tsx')).LanguageBar }))
const SourceValue = lazy(async () => ({ default: (await import('./source-value.tsx')).SourceValue }))

export interface LanguageFormOptions {
  readonly fields: readonly StudioField[]
  readonly editor: DocumentEditor
  readonly state: EditorState
  /** `undefined` if the document is not stored yet. */
  readonly calls: LanguageCalls | undefined
  readonly isReadOnly: boolean
  readonly isSourceShown: boolean
  readonly onShowSource: (isShown: boolean) => void
}

/** The parts that a form shows for the languages of its document; none if the content has only one. */
export interface LanguageForm {
  readonly bar?: ReactNode
  readonly sourceValues?: Values
  readonly renderBeside?: (field: StudioField) => ReactNode
  readonly renderBelow?: (field: StudioField) => ReactNode
  /** Returns the fallback of an empty field, if its editor can show a placeholder. */
  readonly getPlaceholder?: (field: StudioField) => string | undefined
}

export function useLanguageForm(options: LanguageFormOptions): LanguageForm {
  const { fields, editor, state, calls, isReadOnly, isSourceShown, onShowSource } = options
  const languages = useLanguages(fields, state, calls)
  const { settings } = useStudio()
  if (!languages) return {}
  const { locale, source, getValues } = languages
  const sourceValues = getValues(source) ?? {}
  const missingFields = fields.filter(
    ({ key, writable, localized }) =>
      localized && writable && isEmpty(state.values[key]) && !isEmpty(sourceValues[key]),
  )
  const copyMissing = (): void => {
    for (const field of missingFields) editor.edit([field.key], toPlainValue(field, sourceValues[field.key]))
  }
  const isTranslation = locale !== source
  const showsPlaceholder = (field: StudioField): boolean =>
    settings.editors?.[field.type] === undefined && hasPlaceholder(field)
  return {
    sourceValues,
    bar: (
      <Suspense>
        <LanguageBar
          languages={languages}
          isSourceShown={isSourceShown}
          onShowSource={onShowSource}
          onCopyMissing={isReadOnly || missingFields.length === 0 ? undefined : copyMissing}
        />
      </Suspense>
    ),
    ...(isTranslation
      ? {
          renderBelow: (field) => (
            <FallbackHint field={field} languages={languages} isShown={showsPlaceholder(field)} />
          ),
          getPlaceholder: (field) => (showsPlaceholder(field) ? findFallback(field, languages)?.text : undefined),
        }
      : {}),
    ...(isTranslation && isSourceShown
      ? {
          renderBeside: (field) => (
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

interface FallbackHintProps extends Omit<SourceValueProps, 'onCopy'> {
  /** True if the field itself shows the fallback as a placeholder. */
  readonly isShown: boolean
}

/** Says which fallback visitors see for a field without a value in this language. */
function FallbackHint({ field, languages, isShown }: FallbackHintProps): ReactNode {
  const { t } = useTexts()
  const getLocaleName = useLocaleName()
  const fallback = findFallback(field, languages)
  if (!fallback) return null
  const { locale, text } = fallback
  if (isShown) return <p className={styles.hint}>{t.languages.readersSeeIt(getLocaleName(locale))}</p>
  return (
    <p className={styles.hint}>
      {t.languages.readersSee(getLocaleName(locale))} <q lang={locale}>{text}</q>
    </p>
  )
}

/** The value that visitors see for a field without a value in the edited language. */
interface Fallback {
  readonly locale: string
  /** The beginning of the value. */
  readonly text: string
}

/** The maximum length of the text, in characters. */
const MAX_LENGTH = 120

/** Finds the fallback of a field; `undefined` if it has a value, or no language has one. */
function findFallback(field: StudioField, { locale, fallbacks, getValues }: DocumentLanguages): Fallback | undefined {
  if (!field.localized || !isEmpty(getValues(locale)?.[field.key])) return undefined
  const fallbackLocale = fallbacks.find((candidate) => !isEmpty(getValues(candidate)?.[field.key]))
  if (fallbackLocale === undefined) return undefined
  const text = toComparableText(getValues(fallbackLocale)?.[field.key], field)
  return { locale: fallbackLocale, text: text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)} …` : text }
}
