import type { ReactNode } from 'react'
import { Dialog as AriaDialog } from 'react-aria-components/Dialog'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { Button } from '../controls/button.tsx'
import styles from './dialog.module.css'

export interface DialogProps {
  readonly title: string
  readonly isOpen: boolean
  /** Called when Escape closes the dialog. If absent, Escape does not close it. */
  readonly onClose?: () => void
  /** True if the dialog covers most of the page. @default false */
  readonly isWide?: boolean
  readonly children: ReactNode
}

export function Dialog({ title, isOpen, onClose, isWide = false, children }: DialogProps): ReactNode {
  return (
    <ModalOverlay
      isOpen={isOpen}
      isKeyboardDismissDisabled={onClose === undefined}
      onOpenChange={(open) => !open && onClose?.()}
      className={styles.veil ?? ''}
    >
      <Modal className={`${styles.window} ${isWide ? styles.wide : ''}`}>
        <AriaDialog className={styles.dialog ?? ''}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

export const DialogButtons = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <div className={styles.buttons}>{children}</div>
)

export interface ConfirmDialogProps {
  readonly title: string
  readonly text: string
  readonly isOpen: boolean
  readonly confirm: string
  readonly cancel: string
  readonly onConfirm: () => void
  readonly onCancel: () => void
}

/** Asks for confirmation before an action that cannot be undone. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  const { title, text, isOpen, confirm, cancel, onConfirm, onCancel } = props
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onCancel}>
      <p>{text}</p>
      <DialogButtons>
        <Button onPress={onCancel} autoFocus>
          {cancel}
        </Button>
        <Button variant="danger" onPress={onConfirm}>
          {confirm}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}

export interface DrawerProps {
  readonly label: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A panel at the side of a small screen. */
export function Drawer({ label, isOpen, onClose, children }: DrawerProps): ReactNode {
  return (
    <ModalOverlay
      isOpen={isOpen}
      isDismissable
      onOpenChange={(open) => !open && onClose()}
      className={`${styles.veil} ${styles.side}`}
    >
      <Modal className={styles.drawer ?? ''}>
        <AriaDialog aria-label={label} className={styles.panel ?? ''}>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
