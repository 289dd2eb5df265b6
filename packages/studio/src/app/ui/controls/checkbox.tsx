import type { ReactNode } from 'react'
import styles from './checkbox.module.css'

/** What a {@link Checkbox} takes. */
export interface CheckboxProps {
  readonly label: string
  /** Whether the label is for those who cannot see what the box stands beside. @default false */
  readonly isLabelHidden?: boolean
  readonly isSelected: boolean
  /** Whether some of what it stands for is chosen, and not all. @default false */
  readonly isMixed?: boolean
  readonly isDisabled?: boolean
  /** @param isRange whether Shift was held */
  readonly onChange: (isSelected: boolean, isRange: boolean) => void
}

/** A box to tick: the browser's own. */
export function Checkbox(props: CheckboxProps): ReactNode {
  const { label, isLabelHidden: isBare = false, isSelected, isMixed = false, isDisabled = false, onChange } = props
  return (
    <label className={`${styles.checkbox} ${isBare ? styles.bare : ''}`}>
      <input
        type="checkbox"
        {...(isBare ? { 'aria-label': label } : {})}
        checked={isSelected}
        disabled={isDisabled}
        ref={(box) => {
          if (box) box.indeterminate = isMixed
        }}
        onChange={({ target, nativeEvent }) =>
          onChange(target.checked, 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true)
        }
      />
      {!isBare && (
        <span dir="auto" className={styles.text}>
          {label}
        </span>
      )}
    </label>
  )
}
