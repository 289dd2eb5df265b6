import { type ReactNode, useState } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { Button } from '../ui/controls/button.tsx'
import { Dialog, DialogButtons } from '../ui/overlays/dialog.tsx'
import styles from './accounts.module.css'

/** What {@link SecretDialog} takes. */
export interface SecretDialogProps {
  readonly title: string
  readonly text: string
  readonly secret: string
  /** What the button says that copies the secret. */
  readonly copy: string
  readonly onClose: () => void
}

/** Shows a secret that the service tells this once. Escape does not close it. */
export function SecretDialog({ title, text, secret, copy, onClose }: SecretDialogProps): ReactNode {
  const { t } = useTexts()
  const [isCopied, setIsCopied] = useState(false)
  const write = (): void => void navigator.clipboard.writeText(secret).then(() => setIsCopied(true))
  return (
    <Dialog title={title} isOpen>
      <p>{text}</p>
      <code className={styles.secret}>{secret}</code>
      <DialogButtons>
        <Button icon={isCopied ? 'check' : 'copy'} onPress={write}>
          {isCopied ? t.common.copied : copy}
        </Button>
        <Button variant="primary" onPress={onClose}>
          {t.common.close}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
