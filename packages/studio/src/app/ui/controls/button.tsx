import type { ReactNode, Ref } from 'react'
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button'
import { Icon, type IconName } from '../icon.tsx'
import { usePageActions } from '../page-actions.tsx'
import styles from './button.module.css'

export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger'

type ForwardedProp = 'onPress' | 'onHoverStart' | 'onFocus' | 'isDisabled' | 'type' | 'autoFocus' | 'slot' | 'form'

export interface ButtonProps extends Pick<AriaButtonProps, ForwardedProp> {
  /** @default 'secondary' */
  readonly variant?: ButtonVariant
  readonly icon?: IconName
  /** True while the action is running: the button keeps the focus and ignores presses. @default false */
  readonly isPending?: boolean
  /** The accessible name, if the text alone is ambiguous. */
  readonly label?: string
  readonly children: ReactNode
  readonly ref?: Ref<HTMLButtonElement>
}

export function Button(props: ButtonProps): ReactNode {
  const { variant = 'secondary', icon, isPending = false, onPress, label, children, ...rest } = props
  const press = isPending || !onPress ? {} : { onPress }
  useButtonAction(typeof children === 'string' ? (label ?? children) : label, { ...rest, ...press })
  const className = `${styles.button} ${styles[variant]} ${isPending ? styles.pending : ''}`
  return (
    <AriaButton {...rest} {...press} {...(label !== undefined && { 'aria-label': label })} className={className}>
      {icon && <Icon name={icon} />}
      {children}
    </AriaButton>
  )
}

export interface IconButtonProps extends Pick<AriaButtonProps, ForwardedProp> {
  readonly icon: IconName
  /** The accessible name. */
  readonly label: string
  readonly ref?: Ref<HTMLButtonElement>
}

export function IconButton({ icon, label, ...rest }: IconButtonProps): ReactNode {
  useButtonAction(label, rest)
  return (
    <AriaButton {...rest} aria-label={label} className={`${styles.button} ${styles.quiet} ${styles.square}`}>
      <Icon name={icon} />
    </AriaButton>
  )
}

/** Offers a button's action in Find, unless it is disabled. */
function useButtonAction(
  label: string | undefined,
  { onPress, isDisabled = false }: Pick<AriaButtonProps, 'onPress' | 'isDisabled'>,
): void {
  // No handler of the Studio reads the event of a press.
  const run = onPress as (() => void) | undefined
  usePageActions(label === undefined || !run || isDisabled ? [] : [{ label, run }])
}

/** Returns the class of a link that looks like a button. */
export const getButtonClass = (variant: ButtonVariant = 'secondary'): string => `${styles.button} ${styles[variant]}`
