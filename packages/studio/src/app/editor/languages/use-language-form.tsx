import type { FieldDescription } from 'daybook'
import { lazy, type ReactNode, Suspense } from 'react'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
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

/** What a form in several languages is made from. */
export interface LanguageFormOptions {
  readonly fields: readonly FieldDescription[]
  readonly editor: DocumentEditor
  readonly state: EditorState
  /** Absent: the document is not stored yet. */
  readonly calls: LanguageCalls | undefined
  readonly isReadOnly: boolean
  /** Whether the source stands beside each field. */
  readonly isSourceShown: boolean
  readonly onShowSource: (isBeside: boolean) => void
}

/** What a form shows of the languages of its document; nothing where its content has one language. */
export interface LanguageForm {
  readonly bar?: ReactNode
  /** What the language says that others are translated from. */
  readonly sourceValues?: Values
  readonly renderBeside?: (field: FieldDescription) => ReactNode
  readonly renderBelow?: (field: FieldDescription) => ReactNode
  /** What readers see of a field that is empty, where it can show that itself. */
  readonly getPlaceholder?: (field: FieldDescription) => string | undefined
}

/** The languages of a document that is open in a form. */
export function useLanguageForm(options: LanguageFormOptions): LanguageForm {
  const { fields, editor, state, calls, isReadOnly, isSourceShown: isBeside, onShowSource: onBeside } = options
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
    for (const field of missing) editor.edit([field.key], toPlainValue(field, sourceValues[field.key]))
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
          isSourceShown={isBeside}
          onShowSource={onBeside}
          onCopyMissing={isReadOnly || missing.length === 0 ? undefined : copyMissing}
        />
      </Suspense>
    ),
    ...(isTranslation
      ? {
          renderBelow: (field) => <FallbackHint field={field} languages={languages} isShown={showsItself(field)} />,
          getPlaceholder: (field) => (showsItself(field) ? findFallback(field, languages)?.text : undefined),
        }
      : {}),
    ...(isTranslation && isBeside
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

/** What a {@link FallbackHint} takes. */
interface FallbackHintProps extends Omit<SourceValueProps, 'onCopy'> {
  /** Whether the field itself shows the value, as its placeholder. */
  readonly isShown: boolean
}

/** What readers see of a field that has no value in this language. */
function FallbackHint({ field, languages, isShown }: FallbackHintProps): ReactNode {
  const { t } = useTexts()
  const nameOf = useLocaleName()
  const fallback = findFallback(field, languages)
  if (!fallback) return null
  const { locale, text } = fallback
  if (isShown) return <p className={styles.hint}>{t.languages.readersSeeIt(nameOf(locale))}</p>
  return (
    <p className={styles.hint}>
      {t.languages.readersSee(nameOf(locale))} <q lang={locale}>{text}</q>
    </p>
  )
}

/** What readers see of a field that has no value in the language that is edited. */
interface Fallback {
  /** The language that it comes from. */
  readonly locale: string
  /** The beginning of it. */
  readonly text: string
}

/** How much of a value is shown, in characters. */
const MOST = 120

/** What readers see of a field instead; `undefined`: it has a value, or no language has one. */
function findFallback(
  field: FieldDescription,
  { locale, fallbacks, valuesIn }: Pick<DocumentLanguages, 'locale' | 'fallbacks' | 'valuesIn'>,
): Fallback | undefined {
  if (!field.localized || !isEmpty(valuesIn(locale)?.[field.key])) return undefined
  const from = fallbacks.find((one) => !isEmpty(valuesIn(one)?.[field.key]))
  if (from === undefined) return undefined
  const text = toComparableText(valuesIn(from)?.[field.key], field)
  return { locale: from, text: text.length > MOST ? `${text.slice(0, MOST)} …` : text }
}
