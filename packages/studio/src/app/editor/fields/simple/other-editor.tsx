import type { ReactNode } from 'react'
import { useTexts } from '../../../messages/messages.tsx'
import styles from '../../../ui/field.module.css'
import type { FieldEditorProps } from '../field-editor.ts'

/** Shows the value of a field that no editor is there for. */
export function OtherEditor({ field, label, value }: FieldEditorProps): ReactNode {
  const { t } = useTexts()
  return (
    <div className={styles.field}>
      <p className={styles.label}>{label}</p>
      <p className={styles.description}>{field.description ?? t.editor.elsewhere}</p>
      <pre className={styles.value}>{value === undefined ? '' : JSON.stringify(value, null, 2)}</pre>
    </div>
  )
}
