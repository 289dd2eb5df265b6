import type { ReactNode } from 'react'
import styles from './checkbox.module.css'

export interface CheckboxProps {
  readonly label: string
  /** True if the label is only for screen readers. @default false */
  readonly isLabelHidden?: boolean
  readonly isSelected: boolean
  /** True if some, but not all, items are selected. @default false */
  readonly isMixed?: boolean
  readonly isDisabled?: boolean
  /** @param isRange true if Shift was pressed */
  readonly onChange: (isSelected: boolean, isRange: boolean) => void
}

/** A native checkbox with a label. */
export function Checkbox(props: CheckboxProps): ReactNode {
  const { label, isLabelHidden = false, isSelected, isMixed = false, isDisabled = false, onChange } = props
  return (
    <label className={`${styles.checkbox} ${isLabelHidden ? styles.bare : ''}`}>
      <input
        type="checkbox"
        {...(isLabelHidden ? { 'aria-label': label } : {})}
        checked={isSelected}
        disabled={isDisabled}
        ref={(box) => {
          if (box) box.indeterminate = isMixed
        }}
        onChange={({ target, nativeEvent }) =>
          onChange(target.checked, 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true)
        }
      />
      {!isLabelHidden && (
        <span dir="auto" className={styles.text}>
          {label}
        </span>
      )}
    </label>
  )
}
