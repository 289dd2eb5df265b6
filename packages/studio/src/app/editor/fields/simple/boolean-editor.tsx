import { type ReactNode, useId } from 'react'
import { useTexts } from '../../../messages/messages.tsx'
import styles from '../../../ui/controls/field.module.css'
import { Switch } from '../../../ui/controls/switch.tsx'
import type { FieldEditorProps } from '../field-editor.ts'
import own from './choices.module.css'

/** The editor of yes and no; where neither is needed, of the lack of an answer as well. */
export function BooleanEditor(props: FieldEditorProps): ReactNode {
  const { field, label, value, onChange, error, isReadOnly } = props
  if (!field.required && field.default === undefined) return <OptionalBoolean {...props} />
  return (
    <Switch
      label={label}
      description={field.description}
      value={value === true}
      onChange={onChange}
      error={error}
      isDisabled={isReadOnly}
    />
  )
}

function OptionalBoolean({ field, label, value, onChange, error, isReadOnly }: FieldEditorProps): ReactNode {
  const { t } = useTexts()
  const id = useId()
  const answers = [
    [true, t.fields.yes],
    [false, t.fields.no],
    [null, t.fields.noAnswer],
  ] as const
  return (
    <fieldset className={`${styles.field} ${own.set}`} aria-describedby={`${id}-note ${id}-error`}>
      <legend className={styles.label}>{label}</legend>
      <p id={`${id}-note`} className={styles.description} hidden={field.description === undefined}>
        {field.description}
      </p>
      <div className={own.choices}>
        {answers.map(([answer, text]) => (
          <label key={text} className={own.choice}>
            <input
              type="radio"
              name={id}
              checked={(value ?? null) === answer}
              disabled={isReadOnly}
              onChange={() => onChange(answer)}
            />
            {text}
          </label>
        ))}
      </div>
      <p id={`${id}-error`} className={styles.error} hidden={error === undefined}>
        {error}
      </p>
    </fieldset>
  )
}
