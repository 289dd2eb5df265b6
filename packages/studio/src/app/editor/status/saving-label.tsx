import { memo, type ReactNode } from 'react'
import type { Messages } from '../../messages/en.ts'
import { useTexts } from '../../messages/messages.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { useEditorState } from '../document/use-document.ts'
import type { DocumentEditor } from '../saving/document-editor.ts'
import type { EditorState, SavingStatus } from '../saving/editor-state.ts'
import styles from './status.module.css'

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
