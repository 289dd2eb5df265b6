import type { ReactNode } from 'react'
import { Dialog } from 'react-aria-components/Dialog'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { IconButton } from '../controls/button.tsx'
import styles from './sheet.module.css'

export interface SheetProps {
  readonly title: string
  readonly closeLabel: string
  readonly onClose: () => void
  /** Stays at the bottom while the content scrolls. */
  readonly footer?: ReactNode
  readonly children: ReactNode
}

/** A modal panel at the side with room for a form; on a phone it covers the page. Open while it is mounted. */
export function Sheet({ title, closeLabel, onClose, footer, children }: SheetProps): ReactNode {
  return (
    <ModalOverlay isOpen isDismissable onOpenChange={(open) => !open && onClose()} className={styles.veil ?? ''}>
      <Modal className={styles.window ?? ''}>
        <Dialog className={styles.sheet ?? ''}>
          <div className={styles.head}>
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            <IconButton icon="close" label={closeLabel} onPress={onClose} />
          </div>
          <div className={styles.content}>{children}</div>
          {footer !== undefined && <div className={styles.footer}>{footer}</div>}
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
