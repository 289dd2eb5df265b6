import type { FieldDescription } from 'daybook'
import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { placeName } from '../../model/place-name.ts'
import { labelOf } from '../../model/studio-model.ts'
import { Button } from '../../ui/controls/button.tsx'
import { PlainText } from '../differences/difference.tsx'
import { valueText } from '../differences/value-text.ts'
import { plainValue } from '../saving/merging/plain-value.ts'
import styles from './languages.module.css'
import { isEmpty, isTranslated, translatedValues } from './locale-values.ts'
import type { Languages } from './use-languages.ts'
import { useLocaleName } from './use-locale-name.ts'

/** What a {@link SourceValue} takes. */
export interface SourceValueProps {
  readonly field: FieldDescription
  readonly languages: Languages
  /** Takes what the source says; absent: the field may not be changed. */
  readonly onCopy: ((value: unknown) => void) | undefined
}

/** What the source says, beside the editor of a field in another language. */
export function SourceValue({ field, languages, onCopy }: SourceValueProps): ReactNode {
  const { t } = useTexts()
  const nameOf = useLocaleName()
  const { source, valuesIn } = languages
  const value = valuesIn(source)?.[field.key]
  return (
    <div className={styles.source}>
      <p className={styles.sourceTitle}>{`${labelOf(field.key)} · ${nameOf(source)}`}</p>
      {isTranslated(field) ? (
        <div lang={source}>
          <PlainText text={sourceText(field, value)} />
        </div>
      ) : (
        <p className={styles.sourceTitle}>{t.languages.shared}</p>
      )}
      {isTranslated(field) && onCopy && !isEmpty(value) && (
        <div>
          <Button variant="quiet" icon="copy" onPress={() => onCopy(plainValue(field, value))}>
            {t.languages.copy(nameOf(source))}
          </Button>
        </div>
      )}
    </div>
  )
}

/** What the source says, as a text; of a group, a list or blocks the translated texts alone, each with its place. */
function sourceText(field: FieldDescription, value: unknown): string {
  if (field.localized) return valueText(value, field)
  return [...translatedValues([field], { [field.key]: value })]
    .map(([place, inner]) => `${placeName(place.slice(field.key.length + 1))}: ${valueText(inner)}`)
    .join('\n')
}
