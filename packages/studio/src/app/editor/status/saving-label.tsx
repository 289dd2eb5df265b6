import { memo, type ReactNode } from 'react'
import type { Messages } from '../../messages/en.ts'
import { useTexts } from '../../messages/messages.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { useEditorState } from '../document/use-document.ts'
import type { DocumentEditor } from '../saving/document-editor.ts'
import type { EditorState, SavingStatus } from '../saving/editor-state.ts'
import styles from './status.module.css'

const ICONS: Readonly<Partial<Record<SavingStatus['kind'], IconName>>> = {
  saved: 'check',
  waiting: 'warning',
  conflict: 'warning',
  refused: 'warning',
  'signed-out': 'warning',
  gone: 'warning',
  uncertain: 'warning',
}

/** How far saving has come, in two or three words; what needs a person is said at length by {@link SavingNotice}. */
export const SavingLabel = memo(function SavingLabel({ editor }: { readonly editor: DocumentEditor }): ReactNode {
  const { t } = useTexts()
  const state = useEditorState(editor)
  const { status } = state
  const icon = ICONS[status.kind]
  return (
    <p
      role="status"
      className={`${styles.label} ${icon === 'warning' ? styles.needy : ''}`}
      data-saving={status.kind}
      data-copy={state.localCopy}
    >
      {!isUntouched(state) && (
        <>
          {icon && <Icon name={icon} />}
          <span>{labelOf(state, t)}</span>
        </>
      )}
    </p>
  )
})

/** A new document in which nobody has typed: there is nothing to say of it. */
const isUntouched = ({ document, status, dirty }: EditorState): boolean =>
  document.id === null && status.kind === 'saved' && dirty.size === 0

function labelOf({ status }: EditorState, { saving }: Messages): string {
  const { labels } = saving
  return status.kind === 'waiting' ? labels[status.reason] : labels[status.kind]
}
