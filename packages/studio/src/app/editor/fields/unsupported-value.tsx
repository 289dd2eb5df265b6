import type { ReactNode } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { Button } from '../../ui/controls/button.tsx'
import styles from '../../ui/controls/field.module.css'
import type { FieldEditorProps } from './field-editor.ts'
import own from './unsupported-value.module.css'

/** Shows a value that the field does not take any more: it stays until a person replaces it. */
export function UnsupportedValue({ label, value, onChange, error, isReadOnly }: FieldEditorProps): ReactNode {
  const { t } = useTexts()
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return (
    <div role="group" aria-label={label} className={styles.field}>
      <p className={styles.label}>{label}</p>
      <p className={styles.description}>{t.fields.oldValue}</p>
      <pre className={styles.value}>{text}</pre>
      {error !== undefined && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      <div className={own.actions}>
        <Button icon="copy" onPress={() => void navigator.clipboard.writeText(text)}>
          {t.common.copyText}
        </Button>
        {!isReadOnly && <Button onPress={() => onChange(null)}>{t.fields.replace}</Button>}
      </div>
    </div>
  )
}
