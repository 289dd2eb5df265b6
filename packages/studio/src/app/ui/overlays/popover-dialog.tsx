import { type ReactNode, useMemo } from 'react'
import { Dialog } from 'react-aria-components/Dialog'
import { Popover } from 'react-aria-components/Popover'
import styles from './popover-dialog.module.css'

export interface PopoverDialogProps {
  /** The element next to which it opens, and which gets the focus back. */
  readonly anchor: HTMLElement
  readonly label: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A small form next to the element that it belongs to. Open while it is mounted. */
export function PopoverDialog({ anchor, label, onClose, children }: PopoverDialogProps): ReactNode {
  const trigger = useMemo(() => ({ current: anchor }), [anchor])
  return (
    <Popover
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      triggerRef={trigger}
      placement="bottom start"
      className={styles.popover ?? ''}
    >
      <Dialog aria-label={label} className={styles.dialog ?? ''}>
        {children}
      </Dialog>
    </Popover>
  )
}
