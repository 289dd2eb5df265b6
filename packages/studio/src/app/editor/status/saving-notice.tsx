import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import { Button, buttonClass } from '../../ui/controls/button.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { renewSession } from '../document/session-renewal.ts'
import type { DocumentEditor } from '../saving/document-editor.ts'
import type { EditorState } from '../saving/editor-state.ts'
import styles from './status.module.css'

interface SavingNoticeProps {
  readonly editor: DocumentEditor
  readonly state: EditorState
  /** True if the person may not change the document. @default false */
  readonly isReadOnly?: boolean
}

/** What keeps a document from being saved, and what a person can do about it. */
export function SavingNotice({ editor, state, isReadOnly = false }: SavingNoticeProps): ReactNode {
  const isLeftOver = isReadOnly && state.dirty.size > 0
  return (
    <div role="alert">
      {isLeftOver ? <LeftOverNotice editor={editor} /> : <StatusNotice editor={editor} state={state} />}
      <CopyNotice state={state} />
    </div>
  )
}

/** Edits that the person was no longer allowed to save. */
function LeftOverNotice({ editor }: Pick<SavingNoticeProps, 'editor'>): ReactNode {
  const { t } = useTexts()
  return (
    <Banner tone="failed" text={t.saving.notices.leftOver}>
      <Button onPress={() => void editor.discard()}>{t.publishing.discardNow}</Button>
    </Banner>
  )
}

function StatusNotice({ editor, state }: SavingNoticeProps): ReactNode {
  const { t } = useTexts()
  const { notices, ...actions } = t.saving
  const { status, document } = state
  if (status.kind === 'waiting') {
    return (
      <Banner tone="waiting" text={notices[status.reason]}>
        <Button onPress={() => void editor.online()}>{actions.tryNow}</Button>
      </Banner>
    )
  }
  // What is said of single fields is said in their summary.
  if (status.kind === 'refused' && !state.issues.some(({ path }) => path.length > 1)) {
    return (
      <Banner tone="failed" text={notices.refused(status.message)}>
        <Button onPress={() => void editor.retry()}>{t.common.retry}</Button>
      </Banner>
    )
  }
  if (status.kind === 'signed-out') return <SignedOutNotice editor={editor} isOther={status.isOtherPerson} />
  if (status.kind === 'gone') {
    return (
      <Banner tone="failed" text={notices.gone}>
        <Button onPress={() => void editor.retry()}>{t.common.retry}</Button>
        <Button onPress={() => void editor.saveAsNew()}>{actions.saveAsNew}</Button>
      </Banner>
    )
  }
  if (status.kind !== 'uncertain') return null
  return (
    <Banner tone="failed" text={notices.uncertain}>
      <Link to="/c/$collection" params={{ collection: document.collection }} className={buttonClass()}>
        {actions.look}
      </Link>
      <Button onPress={() => void editor.createAgain()}>{actions.createAgain}</Button>
    </Banner>
  )
}

function SignedOutNotice({
  editor,
  isOther,
}: {
  readonly editor: DocumentEditor
  readonly isOther: boolean
}): ReactNode {
  const studio = useStudio()
  const { t } = useTexts()
  const renew = (): void => void renewSession(studio, editor).catch(() => undefined)
  return (
    <Banner tone="failed" text={isOther ? t.saving.notices.otherPerson : t.saving.notices.signedOut}>
      <Button onPress={renew}>{t.session.signIn}</Button>
    </Banner>
  )
}

/** Says that what is not stored is not safe in this browser either. */
function CopyNotice({ state: { localCopy, dirty } }: Pick<SavingNoticeProps, 'state'>): ReactNode {
  const { t } = useTexts()
  return localCopy === 'failed' && dirty.size > 0 && <Banner tone="waiting" text={t.saving.notices.noCopy} />
}

/** How urgent a banner is. */
type BannerTone = 'waiting' | 'failed' | 'told'

const ICONS: Readonly<Record<BannerTone, IconName>> = { waiting: 'warning', failed: 'warning', told: 'account' }

/** What a {@link Banner} takes. */
interface BannerProps {
  readonly tone: BannerTone
  readonly text: ReactNode
  /** What can be done about it. */
  readonly children?: ReactNode
}

/** A sentence about the whole document, above its fields. */
export const Banner = ({ tone, text, children }: BannerProps): ReactNode => (
  <div className={`${styles.banner} ${styles[tone]}`}>
    <Icon name={ICONS[tone]} />
    <div className={styles.said}>{text}</div>
    {children && <div className={styles.actions}>{children}</div>}
  </div>
)
