import { type ReactNode, useId } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import styles from '../../ui/controls/field.module.css'
import { Select } from '../../ui/controls/select.tsx'
import { Switch } from '../../ui/controls/switch.tsx'
import own from './choices.module.css'
import type { FieldEditorProps } from './field-editor.ts'

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

/** Empties the field. */
const NONE = ''

/** The editor of one of a few values. */
export function SelectEditor({ field, label, value, onChange, error, isReadOnly }: FieldEditorProps): ReactNode {
  const { t } = useTexts()
  const own = typeof value === 'string' ? value : null
  const known = field.options ?? []
  // A value of an older config is shown, too.
  const all = own === null || known.includes(own) ? known : [own, ...known]
  const none = field.required || own === null ? [] : [{ id: NONE, label: t.common.nothingChosen }]
  return (
    <Select
      label={label}
      description={field.description}
      value={own}
      options={[...all.map((one) => ({ id: one, label: one })), ...none]}
      onChange={(chosen) => onChange(chosen === NONE ? null : chosen)}
      placeholder={t.common.nothingChosen}
      error={error}
      isDisabled={isReadOnly}
      isRequired={field.required}
    />
  )
}

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
