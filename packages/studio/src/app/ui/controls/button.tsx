import type { ReactNode, Ref } from 'react'
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button'
import { Icon, type IconName } from '../icon.tsx'
import styles from './button.module.css'

/** How much a button asks to be pressed. */
export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger'

type Kept = 'onPress' | 'onHoverStart' | 'onFocus' | 'isDisabled' | 'type' | 'autoFocus' | 'slot' | 'form'

/** What a {@link Button} takes. */
export interface ButtonProps extends Pick<AriaButtonProps, Kept> {
  /** @default 'secondary' */
  readonly variant?: ButtonVariant
  readonly icon?: IconName
  /** Whether what it does is under way: it keeps the focus, and does nothing when pressed again. @default false */
  readonly isPending?: boolean
  /** What it does, where its text alone would not tell. */
  readonly label?: string
  readonly children: ReactNode
  readonly ref?: Ref<HTMLButtonElement>
}

/** A button with a text. */
export function Button(props: ButtonProps): ReactNode {
  const { variant = 'secondary', icon, isPending = false, onPress, label, children, ...others } = props
  const press = isPending || !onPress ? {} : { onPress }
  const own = `${styles.button} ${styles[variant]} ${isPending ? styles.pending : ''}`
  return (
    <AriaButton {...others} {...press} {...(label !== undefined && { 'aria-label': label })} className={own}>
      {icon && <Icon name={icon} />}
      {children}
    </AriaButton>
  )
}

/** What an {@link IconButton} takes. */
export interface IconButtonProps extends Pick<AriaButtonProps, Kept> {
  readonly icon: IconName
  /** What it does, for those who cannot see the icon. */
  readonly label: string
  readonly ref?: Ref<HTMLButtonElement>
}

/** A button that is an icon alone. */
export function IconButton({ icon, label, ...others }: IconButtonProps): ReactNode {
  return (
    <AriaButton {...others} aria-label={label} className={`${styles.button} ${styles.quiet} ${styles.square}`}>
      <Icon name={icon} />
    </AriaButton>
  )
}

/** The class of a link that looks like a button. */
export const buttonClass = (variant: ButtonVariant = 'secondary'): string => `${styles.button} ${styles[variant]}`
