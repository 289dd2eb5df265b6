import type { ReactNode } from 'react'
import { Switch as AriaSwitch } from 'react-aria-components/Switch'
import field from './field.module.css'
import styles from './switch.module.css'

export interface SwitchProps {
  readonly label: string
  readonly description?: string | undefined
  readonly error?: string | undefined
  readonly value: boolean
  readonly onChange: (value: boolean) => void
  readonly isDisabled?: boolean
}

export function Switch({ label, description, error, value, onChange, isDisabled = false }: SwitchProps): ReactNode {
  return (
    <div className={field.field}>
      <AriaSwitch isSelected={value} onChange={onChange} isDisabled={isDisabled} className={styles.switch ?? ''}>
        <span className={styles.track} aria-hidden="true" />
        <span>{label}</span>
      </AriaSwitch>
      {description !== undefined && <p className={field.description}>{description}</p>}
      {error !== undefined && (
        <p className={field.error} role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
