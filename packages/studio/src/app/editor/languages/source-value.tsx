import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { formatPath, type StudioField } from '../../model/studio-model.ts'
import { Button } from '../../ui/controls/button.tsx'
import { PlainText } from '../differences/difference.tsx'
import { toComparableText } from '../differences/text-difference.ts'
import { toPlainValue } from '../saving/field-values.ts'
import styles from './languages.module.css'
import { collectTranslatedValues, isEmpty, isTranslated } from './locale-values.ts'
import { type DocumentLanguages, useLocaleName } from './use-languages.ts'

export interface SourceValueProps {
  readonly field: StudioField
  readonly languages: DocumentLanguages
  /** Copies the value of the source; absent if the user may not edit the field. */
  readonly onCopy: ((value: unknown) => void) | undefined
}

/** The source of a translation, beside the field's editor. */
export function SourceValue({ field, languages, onCopy }: SourceValueProps): ReactNode {
  const { t } = useTexts()
  const getLocaleName = useLocaleName()
  const { source, getValues } = languages
  const value = getValues(source)?.[field.key]
  return (
    <div className={styles.source}>
      <p className={styles.sourceTitle}>{`${field.label} · ${getLocaleName(source)}`}</p>
      {isTranslated(field) ? (
        <div lang={source}>
          <PlainText text={formatSource(field, value)} />
        </div>
      ) : (
        <p className={styles.sourceTitle}>{t.languages.shared}</p>
      )}
      {isTranslated(field) && onCopy && !isEmpty(value) && (
        <div>
          <Button variant="quiet" icon="copy" onPress={() => onCopy(toPlainValue(field, value))}>
            {t.languages.copy(getLocaleName(source))}
          </Button>
        </div>
      )}
    </div>
  )
}

/** Formats a value of the source. A group, list or blocks yields only its localized values, each with its place. */
function formatSource(field: StudioField, value: unknown): string {
  if (field.localized) return toComparableText(value, field)
  return [...collectTranslatedValues([field], { [field.key]: value })]
    .map(([place, inner]) => {
      // The paths begin with the field itself, which the title names.
      const path = formatPath(place, [field]).split(' › ').slice(1).join(' › ')
      return `${path}: ${toComparableText(inner)}`
    })
    .join('\n')
}
