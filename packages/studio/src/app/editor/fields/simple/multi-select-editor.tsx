import { type ReactNode, useId } from 'react'
import styles from '../../../ui/controls/field.module.css'
import type { FieldEditorProps } from '../field-editor.ts'
import own from './choices.module.css'

/** The editor of several of a few values. */
export function MultiSelectEditor({ field, label, value, onChange, error, isReadOnly }: FieldEditorProps): ReactNode {
  const id = useId()
  const chosen = Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []
  const known = field.options ?? []
  // Values of an older config are shown, too.
  const all = [...known, ...chosen.filter((one) => !known.includes(one))]
  const toggle = (one: string, isOn: boolean): void =>
    onChange(all.filter((other) => (other === one ? isOn : chosen.includes(other))))
  return (
    <fieldset
      className={`${styles.field} ${own.set}`}
      data-required={field.required || undefined}
      aria-describedby={`${id}-note ${id}-error`}
    >
      <legend className={styles.label}>{label}</legend>
      <p id={`${id}-note`} className={styles.description} hidden={field.description === undefined}>
        {field.description}
      </p>
      <div className={own.choices}>
        {all.map((one) => (
          <label key={one} className={own.choice}>
            <input
              type="checkbox"
              checked={chosen.includes(one)}
              disabled={isReadOnly}
              onChange={(event) => toggle(one, event.target.checked)}
            />
            {one}
          </label>
        ))}
      </div>
      <p id={`${id}-error`} className={styles.error} hidden={error === undefined}>
        {error}
      </p>
    </fieldset>
  )
}
