import { type ReactNode, useId } from 'react'
import styles from './choice-field.module.css'
import field from './field.module.css'

export interface ChoiceFieldProps {
  readonly label: string
  /** True if the label is only for screen readers. @default false */
  readonly isLabelHidden?: boolean
  readonly value: string
  readonly options: readonly { readonly id: string; readonly label: string }[]
  readonly onChange: (value: string) => void
  readonly isDisabled?: boolean
}

/** A native select. */
export function ChoiceField(props: ChoiceFieldProps): ReactNode {
  const { label, isLabelHidden = false, value, options, onChange, isDisabled = false } = props
  const id = useId()
  return (
    <div className={field.field}>
      {!isLabelHidden && (
        <label className={field.label} htmlFor={id}>
          {label}
        </label>
      )}
      <select
        id={id}
        {...(isLabelHidden ? { 'aria-label': label } : {})}
        className={`${field.input} ${styles.choice}`}
        value={value}
        disabled={isDisabled}
        onChange={({ target }) => onChange(target.value)}
      >
        {options.map((option) => (
          <option key={option.id} value={option.id}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  )
}
