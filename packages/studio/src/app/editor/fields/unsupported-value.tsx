import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Button } from '../../ui/controls/button.tsx'
import fieldStyles from '../../ui/controls/field.module.css'
import type { FieldEditorProps } from './field-editor.ts'
import styles from './unsupported-value.module.css'

/** Shows a value that the field does not support, which stays until the user replaces it. */
export function UnsupportedValue({ label, value, onChange, error, isReadOnly }: FieldEditorProps): ReactNode {
  const { t } = useTexts()
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return (
    <div role="group" aria-label={label} className={fieldStyles.field}>
      <p className={fieldStyles.label}>{label}</p>
      <p className={fieldStyles.description}>{t.fields.oldValue}</p>
      <pre className={fieldStyles.value}>{text}</pre>
      {error !== undefined && (
        <p className={fieldStyles.error} role="alert">
          {error}
        </p>
      )}
      <div className={styles.actions}>
        <Button icon="copy" onPress={() => void navigator.clipboard.writeText(text)}>
          {t.common.copyText}
        </Button>
        {!isReadOnly && <Button onPress={() => onChange(null)}>{t.fields.replace}</Button>}
      </div>
    </div>
  )
}
