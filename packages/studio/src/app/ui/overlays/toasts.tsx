import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { Button, IconButton } from '../controls/button.tsx'
import styles from './toasts.module.css'

/** A message that disappears by itself, unless it reports a failure. */
export interface Toast {
  readonly text: string
  /** @default 'done' */
  readonly kind?: 'done' | 'failed'
  /** An action that is offered while the message is shown. */
  readonly action?: { readonly label: string; readonly onPress: () => void }
}

/** Shows a message. @returns a function that removes it, for when its cause is gone */
export type ShowToast = (toast: Toast) => () => void

interface NumberedToast extends Toast {
  readonly number: number
}

const MAX_SHOWN = 3
/** The duration of a message, in milliseconds. */
const SHOWN_MS = 6000
/** The duration of a message with an action, in milliseconds. */
const SHOWN_WITH_ACTION_MS = 30_000

const ToastContext = createContext<ShowToast | undefined>(undefined)

export function useToast(): ShowToast {
  const show = useContext(ToastContext)
  if (!show) throw new Error('useToast belongs inside ToastProvider')
  return show
}

/** Provides {@link useToast}, and shows the messages. */
export function ToastProvider({
  closeLabel,
  children,
}: {
  readonly closeLabel: string
  readonly children: ReactNode
}): ReactNode {
  const [shown, setShown] = useState<readonly NumberedToast[]>([])
  const lastNumber = useRef(0)
  const show = useMemo<ShowToast>(
    () => (toast) => {
      lastNumber.current += 1
      const numbered = { ...toast, number: lastNumber.current }
      setShown((current) => [...current, numbered].slice(-MAX_SHOWN))
      return () => setShown((current) => current.filter((other) => other !== numbered))
    },
    [],
  )
  const [isPaused, setIsPaused] = useState(false)
  const hide = (toast: NumberedToast): void => {
    setShown((current) => current.filter((other) => other !== toast))
    // A removed element fires no blur event.
    setIsPaused(false)
  }
  return (
    <ToastContext value={show}>
      {children}
      <div
        className={styles.region}
        role="status"
        onPointerEnter={() => setIsPaused(true)}
        onPointerLeave={() => setIsPaused(false)}
        onFocus={() => setIsPaused(true)}
        onBlur={() => setIsPaused(false)}
      >
        {shown.map((toast) => (
          <ShownToast
            key={toast.number}
            toast={toast}
            isPaused={isPaused}
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
  /** True while the pointer or the focus is on the messages, which keeps them all. */
  readonly isPaused: boolean
  readonly closeLabel: string
  readonly onClose: () => void
}

function ShownToast({ toast, isPaused, closeLabel, onClose }: ShownToastProps): ReactNode {
  const { action } = toast
  const isFailure = toast.kind === 'failed'
  const hasAction = action !== undefined
  useEffect(() => {
    if (isFailure || isPaused) return
    const timer = setTimeout(onClose, hasAction ? SHOWN_WITH_ACTION_MS : SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isFailure, isPaused, hasAction, onClose])
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
