import { type ReactNode, useState } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { Button } from '../ui/controls/button.tsx'
import { Dialog, DialogButtons } from '../ui/overlays/dialog.tsx'
import styles from './accounts.module.css'

export interface SecretDialogProps {
  readonly title: string
  readonly text: string
  readonly secret: string
  /** The label of the button that copies the secret. */
  readonly copy: string
  readonly onClose: () => void
}

/** Shows a secret that cannot be shown again. Escape does not close the dialog. */
export function SecretDialog({ title, text, secret, copy, onClose }: SecretDialogProps): ReactNode {
  const { t } = useTexts()
  const [isCopied, setIsCopied] = useState(false)
  const copySecret = (): void => void navigator.clipboard.writeText(secret).then(() => setIsCopied(true))
  return (
    <Dialog title={title} isOpen>
      <p>{text}</p>
      <code className={styles.secret}>{secret}</code>
      <DialogButtons>
        <Button icon={isCopied ? 'check' : 'copy'} onPress={copySecret}>
          {isCopied ? t.common.copied : copy}
        </Button>
        <Button variant="primary" onPress={onClose}>
          {t.common.close}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
