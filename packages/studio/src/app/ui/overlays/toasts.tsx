import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { Button, IconButton } from '../controls/button.tsx'
import styles from './toasts.module.css'

/** A message that goes by itself; one about a failure stays. */
export interface Toast {
  readonly text: string
  /** @default 'done' */
  readonly kind?: 'done' | 'failed'
  /** Something to do about it, for as long as the message is shown. */
  readonly action?: { readonly label: string; readonly onPress: () => void }
}

/** Shows messages. */
export type ShowToast = (toast: Toast) => void

/** A message among those that are shown. */
interface NumberedToast extends Toast {
  readonly number: number
}

const MAX_SHOWN = 3
/** How long a message stays, in milliseconds. */
const SHOWN_MS = 6000
/** How long a message stays that offers something, in milliseconds. */
const OFFERED_MS = 30_000

const ToastContext = createContext<ShowToast | undefined>(undefined)

/** The function that shows a message at the edge of the page. */
export function useToast(): ShowToast {
  const show = useContext(ToastContext)
  if (!show) throw new Error('useToast belongs inside ToastProvider')
  return show
}

/** Gives its children {@link useToast}, and shows the messages. */
export function ToastProvider({
  closeLabel,
  children,
}: {
  readonly closeLabel: string
  readonly children: ReactNode
}): ReactNode {
  const [shown, setShown] = useState<readonly NumberedToast[]>([])
  const show = useMemo<ShowToast>(
    () => (toast) =>
      setShown((before) => [...before, { ...toast, number: (before.at(-1)?.number ?? 0) + 1 }].slice(-MAX_SHOWN)),
    [],
  )
  const [isHeld, setIsHeld] = useState(false)
  const hide = (toast: NumberedToast): void => {
    setShown((before) => before.filter((one) => one !== toast))
    // What is removed tells nobody that the focus has left it.
    setIsHeld(false)
  }
  return (
    <ToastContext value={show}>
      {children}
      <div
        className={styles.region}
        role="status"
        onPointerEnter={() => setIsHeld(true)}
        onPointerLeave={() => setIsHeld(false)}
        onFocus={() => setIsHeld(true)}
        onBlur={() => setIsHeld(false)}
      >
        {shown.map((toast) => (
          <ShownToast
            key={toast.number}
            toast={toast}
            isHeld={isHeld}
            closeLabel={closeLabel}
            onClose={() => hide(toast)}
          />
        ))}
      </div>
    </ToastContext>
  )
}

interface ShownToastProps {
  readonly toast: Toast
  /** Whether somebody is at the messages: none goes by itself then. */
  readonly isHeld: boolean
  readonly closeLabel: string
  readonly onClose: () => void
}

function ShownToast({ toast, isHeld, closeLabel, onClose }: ShownToastProps): ReactNode {
  const { action } = toast
  const isFailure = toast.kind === 'failed'
  const hasAction = action !== undefined
  useEffect(() => {
    if (isFailure || isHeld) return
    const timer = setTimeout(onClose, hasAction ? OFFERED_MS : SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isFailure, isHeld, hasAction, onClose])
  return (
    <div className={`${styles.toast} ${isFailure ? styles.failed : ''}`}>
      <span>{toast.text}</span>
      {action && (
        <Button
          variant="quiet"
          onPress={() => {
            onClose()
            action.onPress()
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton icon="close" label={closeLabel} onPress={onClose} />
    </div>
  )
}
