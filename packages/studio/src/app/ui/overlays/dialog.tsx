import type { ReactNode } from 'react'
import { Dialog as AriaDialog } from 'react-aria-components/Dialog'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { Button } from '../controls/button.tsx'
import styles from './dialog.module.css'

/** What a {@link Dialog} takes. */
export interface DialogProps {
  readonly title: string
  readonly isOpen: boolean
  /** Called when it is closed without an answer, by Escape. Absent: it has to be answered. */
  readonly onClose?: () => void
  /** Whether it takes most of the page. @default false */
  readonly isWide?: boolean
  readonly children: ReactNode
}

/** A window over the page, which waits meanwhile. */
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

/** The row of buttons at the end of a dialog. */
export const DialogButtons = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <div className={styles.buttons}>{children}</div>
)

/** What a {@link ConfirmDialog} takes. */
export interface ConfirmDialogProps {
  readonly title: string
  readonly text: string
  readonly isOpen: boolean
  readonly confirm: string
  readonly cancel: string
  readonly onConfirm: () => void
  readonly onCancel: () => void
}

/** A question before something that cannot be taken back. */
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

/** What a {@link Drawer} takes. */
export interface DrawerProps {
  readonly label: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A panel at the side of a small screen, over the page. */
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
