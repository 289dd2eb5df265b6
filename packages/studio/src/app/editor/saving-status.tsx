import { Link } from '@tanstack/react-router'
import { memo, type ReactNode } from 'react'
import { useStudio } from '../api/studio.ts'
import type { Messages } from '../messages/en.ts'
import { useTexts } from '../messages/messages.tsx'
import { Button, getButtonClass } from '../ui/controls/button.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { renewSession } from './document/session-renewal.ts'
import { useEditorState } from './document/use-document.ts'
import type { DocumentEditor } from './saving/document-editor.ts'
import type { EditorState, SavingStatus } from './saving/editor-state.ts'
import styles from './saving-status.module.css'

interface SavingNoticeProps {
  readonly editor: DocumentEditor
  readonly state: EditorState
  /** True if the user may not edit the document. @default false */
  readonly isReadOnly?: boolean
}

/** Explains why a document is not saved, with buttons to resolve it. */
export function SavingNotice({ editor, state, isReadOnly = false }: SavingNoticeProps): ReactNode {
  const hasUnsavableEdits = isReadOnly && state.dirty.size > 0
  return (
    <div role="alert">
      {hasUnsavableEdits ? <UnsavableEditsNotice editor={editor} /> : <StatusNotice editor={editor} state={state} />}
      <CopyNotice state={state} />
    </div>
  )
}

/** The notice about unsaved edits of a user who may no longer edit the document. */
function UnsavableEditsNotice({ editor }: Pick<SavingNoticeProps, 'editor'>): ReactNode {
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
  // Issues of single fields are listed in their summary instead.
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
      <Link to="/c/$collection" params={{ collection: document.collection }} className={getButtonClass()}>
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

/** Warns that unsaved edits are not stored in this browser either. */
function CopyNotice({ state: { localCopy, dirty } }: Pick<SavingNoticeProps, 'state'>): ReactNode {
  const { t } = useTexts()
  return localCopy === 'failed' && dirty.size > 0 && <Banner tone="waiting" text={t.saving.notices.noCopy} />
}

type BannerTone = 'waiting' | 'failed' | 'info'

const BANNER_ICONS: Readonly<Record<BannerTone, IconName>> = { waiting: 'warning', failed: 'warning', info: 'account' }

interface BannerProps {
  readonly tone: BannerTone
  readonly text: ReactNode
  /** Buttons or details. */
  readonly children?: ReactNode
}

/** A notice about the document, above its fields. */
export const Banner = ({ tone, text, children }: BannerProps): ReactNode => (
  <div className={`${styles.banner} ${styles[tone]}`}>
    <Icon name={BANNER_ICONS[tone]} />
    <div className={styles.text}>{text}</div>
    {children && <div className={styles.actions}>{children}</div>}
  </div>
)

const STATUS_ICONS: Readonly<Partial<Record<SavingStatus['kind'], IconName>>> = {
  saved: 'check',
  waiting: 'warning',
  conflict: 'warning',
  refused: 'warning',
  'signed-out': 'warning',
  gone: 'warning',
  uncertain: 'warning',
}

/** The saving status in two or three words. {@link SavingNotice} explains states that need the user. */
export const SavingLabel = memo(function SavingLabel({ editor }: { readonly editor: DocumentEditor }): ReactNode {
  const { t } = useTexts()
  const state = useEditorState(editor)
  const { status } = state
  const icon = STATUS_ICONS[status.kind]
  return (
    <p
      role="status"
      className={`${styles.label} ${icon === 'warning' ? styles.problem : ''}`}
      data-saving={status.kind}
      data-copy={state.localCopy}
    >
      {!isUntouched(state) && (
        <>
          {icon && <Icon name={icon} />}
          <span>{getLabel(state, t)}</span>
        </>
      )}
    </p>
  )
})

/** True for a new document without edits, which needs no label. */
const isUntouched = ({ document, status, dirty }: EditorState): boolean =>
  document.id === null && status.kind === 'saved' && dirty.size === 0

function getLabel({ status }: EditorState, { saving }: Messages): string {
  const { labels } = saving
  return status.kind === 'waiting' ? labels[status.reason] : labels[status.kind]
}
