import { type FocusEvent, type FormEvent, type ReactNode, useCallback, useId } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { Page } from '../shell/page.tsx'
import { Button, IconButton } from '../ui/controls/button.tsx'
import { useDocumentKeys } from './document/use-document-keys.ts'
import styles from './editor.module.css'
import { LeaveQuestion } from './leave-question.tsx'
import { focusField } from './places/focus-field.ts'
import type { DocumentEditor } from './saving/document-editor.ts'
import type { EditorState } from './saving/editor-state.ts'
import { SavingLabel } from './status/saving-label.tsx'
import { SavingNotice } from './status/saving-notice.tsx'

/** What an {@link EditorFrame} takes. */
export interface EditorFrameProps {
  readonly title: string
  readonly above?: ReactNode
  readonly editor: DocumentEditor
  readonly state: EditorState
  /** Whether edits are saved by themselves. */
  readonly isAutosaved: boolean
  readonly isReadOnly: boolean
  /** The sentence that says why, where it is read-only. */
  readonly whyReadOnly: string
  /** Whether the form takes the whole width. @default false */
  readonly isWide?: boolean
  /** Buttons beside the state of saving. */
  readonly actions?: ReactNode
  /** Sentences about the whole document. */
  readonly notices?: ReactNode
  /** Told when the focus leaves something in the form. */
  readonly onBlur?: (event: FocusEvent) => void
  readonly children: ReactNode
}

/** The page around a form: its heading, the state of saving, undo, and the question before unsaved changes are left. */
export function EditorFrame(props: EditorFrameProps): ReactNode {
  const {
    title,
    above,
    editor,
    state,
    isAutosaved,
    isReadOnly,
    whyReadOnly,
    isWide = false,
    actions,
    notices,
    onBlur,
    children,
  } = props
  const { t } = useTexts()
  const id = useId()
  const save = useCallback(() => void editor.flush(), [editor])
  useDocumentKeys(editor, focusField, save, isReadOnly)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    save()
  }
  const isSavedByHand = !isAutosaved || state.document.id === null
  return (
    <Page
      title={title}
      above={above}
      isSticky
      isWide={isWide}
      {...(isReadOnly ? {} : { status: <SavingLabel editor={editor} /> })}
      actions={
        <>
          {!isReadOnly && <UndoButtons editor={editor} state={state} />}
          {!isReadOnly && isSavedByHand && (
            <Button type="submit" form={id} variant="primary" isPending={state.status.kind === 'saving'}>
              {t.common.save}
            </Button>
          )}
          {actions}
        </>
      }
    >
      <div role="status">{isReadOnly && <p className={styles.state}>{whyReadOnly}</p>}</div>
      <div className={styles.notices}>
        <SavingNotice editor={editor} state={state} isReadOnly={isReadOnly} />
        {notices}
      </div>
      <form id={id} onSubmit={submit} onBlur={onBlur} noValidate>
        {children}
      </form>
      <LeaveQuestion editor={editor} isAutosaved={isAutosaved} />
    </Page>
  )
}

function UndoButtons({ editor, state }: Pick<EditorFrameProps, 'editor' | 'state'>): ReactNode {
  const { t } = useTexts()
  const step = (path: string | undefined): void => {
    if (path !== undefined) focusField(path, { isScrolledOnly: true })
  }
  return (
    <span className={styles.steps}>
      <IconButton icon="undo" label={t.editor.undo} isDisabled={!state.canUndo} onPress={() => step(editor.undo())} />
      <IconButton icon="redo" label={t.editor.redo} isDisabled={!state.canRedo} onPress={() => step(editor.redo())} />
    </span>
  )
}
