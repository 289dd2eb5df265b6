import { type ReactNode, useId } from 'react'
import styles from './choice-field.module.css'
import field from './field.module.css'

/** What a {@link ChoiceField} takes. */
export interface ChoiceFieldProps {
  readonly label: string
  /** Whether the label is for those who cannot see what the field stands beside. @default false */
  readonly isLabelHidden?: boolean
  readonly value: string
  readonly options: readonly { readonly id: string; readonly label: string }[]
  readonly onChange: (value: string) => void
  readonly isDisabled?: boolean
}

/** A choice of one of a few values, with the list that the browser itself opens: on a phone, its own. */
export function ChoiceField(props: ChoiceFieldProps): ReactNode {
  const { label, isLabelHidden: isBare = false, value, options, onChange, isDisabled = false } = props
  const id = useId()
  return (
    <div className={field.field}>
      {!isBare && (
        <label className={field.label} htmlFor={id}>
          {label}
        </label>
      )}
      <select
        id={id}
        {...(isBare ? { 'aria-label': label } : {})}
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
