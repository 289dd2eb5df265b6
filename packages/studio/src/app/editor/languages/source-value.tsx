import type { FieldDescription } from 'daybook'
import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { formatPath, toLabel } from '../../model/studio-model.ts'
import { Button } from '../../ui/controls/button.tsx'
import { PlainText } from '../differences/difference.tsx'
import { toComparableText } from '../differences/text-difference.ts'
import { toPlainValue } from '../saving/field-values.ts'
import styles from './languages.module.css'
import { collectTranslatedValues, isEmpty, isTranslated } from './locale-values.ts'
import type { DocumentLanguages } from './use-languages.ts'
import { useLocaleName } from './use-languages.ts'

/** What a {@link SourceValue} takes. */
export interface SourceValueProps {
  readonly field: FieldDescription
  readonly languages: DocumentLanguages
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
      <p className={styles.sourceTitle}>{`${toLabel(field.key)} · ${nameOf(source)}`}</p>
      {isTranslated(field) ? (
        <div lang={source}>
          <PlainText text={sourceText(field, value)} />
        </div>
      ) : (
        <p className={styles.sourceTitle}>{t.languages.shared}</p>
      )}
      {isTranslated(field) && onCopy && !isEmpty(value) && (
        <div>
          <Button variant="quiet" icon="copy" onPress={() => onCopy(toPlainValue(field, value))}>
            {t.languages.copy(nameOf(source))}
          </Button>
        </div>
      )}
    </div>
  )
}

/** What the source says, as a text; of a group, a list or blocks the translated texts alone, each with its place. */
function sourceText(field: FieldDescription, value: unknown): string {
  if (field.localized) return toComparableText(value, field)
  return [...collectTranslatedValues([field], { [field.key]: value })]
    .map(([place, inner]) => `${formatPath(place.slice(field.key.length + 1))}: ${toComparableText(inner)}`)
    .join('\n')
}
