import { type ReactNode, useId } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { getOptionLabel } from '../../model/studio-model.ts'
import fieldStyles from '../../ui/controls/field.module.css'
import { Select } from '../../ui/controls/select.tsx'
import { Switch } from '../../ui/controls/switch.tsx'
import type { FieldEditorProps } from './field-editor.ts'
import styles from './simple-editors.module.css'

/** The editor of a boolean. An optional one without a default can also be empty. */
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
  const choices = [
    [true, t.fields.yes],
    [false, t.fields.no],
    [null, t.fields.notSet],
  ] as const
  return (
    <fieldset className={`${fieldStyles.field} ${styles.set}`} aria-describedby={`${id}-note ${id}-error`}>
      <legend className={fieldStyles.label}>{label}</legend>
      <p id={`${id}-note`} className={fieldStyles.description} hidden={field.description === undefined}>
        {field.description}
      </p>
      <div className={styles.choices}>
        {choices.map(([choice, text]) => (
          <label key={text} className={styles.choice}>
            <input
              type="radio"
              name={id}
              checked={(value ?? null) === choice}
              disabled={isReadOnly}
              onChange={() => onChange(choice)}
            />
            {text}
          </label>
        ))}
      </div>
      <p id={`${id}-error`} className={fieldStyles.error} hidden={error === undefined}>
        {error}
      </p>
    </fieldset>
  )
}

/** The option that empties the field. */
const NONE = ''

export function SelectEditor({ field, label, value, onChange, error, isReadOnly }: FieldEditorProps): ReactNode {
  const { t } = useTexts()
  const selected = typeof value === 'string' ? value : null
  const options = field.options ?? []
  // A value of an older config is also shown.
  const allOptions = selected === null || options.includes(selected) ? options : [selected, ...options]
  const emptyOption = field.required || selected === null ? [] : [{ id: NONE, label: t.common.nothingChosen }]
  return (
    <Select
      label={label}
      description={field.description}
      value={selected}
      options={[
        ...allOptions.map((option) => ({ id: option, label: getOptionLabel(option, field, t) })),
        ...emptyOption,
      ]}
      onChange={(option) => onChange(option === NONE ? null : option)}
      placeholder={t.common.nothingChosen}
      error={error}
      isDisabled={isReadOnly}
      isRequired={field.required}
    />
  )
}

export function MultiSelectEditor({ field, label, value, onChange, error, isReadOnly }: FieldEditorProps): ReactNode {
  const { t } = useTexts()
  const id = useId()
  const selected = Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
  const options = field.options ?? []
  // Values of an older config are also shown.
  const allOptions = [...options, ...selected.filter((option) => !options.includes(option))]
  const toggle = (toggledOption: string, isOn: boolean): void =>
    onChange(allOptions.filter((option) => (option === toggledOption ? isOn : selected.includes(option))))
  return (
    <fieldset
      className={`${fieldStyles.field} ${styles.set}`}
      data-required={field.required || undefined}
      aria-describedby={`${id}-note ${id}-error`}
    >
      <legend className={fieldStyles.label}>{label}</legend>
      <p id={`${id}-note`} className={fieldStyles.description} hidden={field.description === undefined}>
        {field.description}
      </p>
      <div className={styles.choices}>
        {allOptions.map((option) => (
          <label key={option} className={styles.choice}>
            <input
              type="checkbox"
              checked={selected.includes(option)}
              disabled={isReadOnly}
              onChange={(event) => toggle(option, event.target.checked)}
            />
            {getOptionLabel(option, field, t)}
          </label>
        ))}
      </div>
      <p id={`${id}-error`} className={fieldStyles.error} hidden={error === undefined}>
        {error}
      </p>
    </fieldset>
  )
}
