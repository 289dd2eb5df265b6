import { useBlocker } from '@tanstack/react-router'
import { type FocusEvent, type FormEvent, lazy, type ReactNode, Suspense, useCallback, useEffect, useId } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { NotFoundPage, Page } from '../shell/page.tsx'
import { Button, IconButton } from '../ui/controls/button.tsx'
import { LoadingPlaceholder } from '../ui/loading-placeholder.tsx'
import { ConfirmDialog } from '../ui/overlays/dialog.tsx'
import { findPressIndex, SHORTCUTS } from '../ui/shortcuts.ts'
import type { ConflictPanelProps } from './conflict-panel.tsx'
import { useEditorState } from './document/use-document.ts'
import styles from './editor.module.css'
import { focusField } from './focus-field.ts'
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
  readonly readOnlyReason: string
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
    readOnlyReason: whyReadOnly,
    isWide = false,
    actions,
    notices,
    onBlur,
    children,
  } = props
  const { t } = useTexts()
  const id = useId()
  const save = useCallback(() => void editor.flush(), [editor])
  useDocumentShortcuts(editor, focusField, save, isReadOnly)
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
      <LeaveDialog editor={editor} isAutosaved={isAutosaved} />
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

/** What keys ask of a document. */
type Wish = 'undo' | 'redo' | 'save'

const WISHES: readonly Wish[] = ['undo', 'redo', 'save']

const wishOf = (event: KeyboardEvent): Wish | undefined =>
  WISHES.find((wish) => findPressIndex(SHORTCUTS.entries[wish], event) >= 0)

/** Editors of fields that have handled a key themselves, and windows over the page, come first. */
const isTaken = ({ defaultPrevented, target }: KeyboardEvent): boolean =>
  defaultPrevented || (target instanceof Element && target.closest('[role=dialog]') !== null)

/**
 * Undo, redo and save, wherever the focus is on the page.
 *
 * @param onStep called with the leaf that was undone or done again
 * @param isReadOnly true if the document cannot be changed: the keys do nothing then
 */
function useDocumentShortcuts(
  editor: DocumentEditor,
  onStep: (path: string) => void,
  onSave: () => void,
  isReadOnly: boolean,
): void {
  useEffect(() => {
    const step = (path: string | undefined): void => {
      if (path !== undefined) onStep(path)
    }
    const listen = (event: KeyboardEvent): void => {
      const wish = wishOf(event)
      if (!wish || isTaken(event)) return
      event.preventDefault()
      if (isReadOnly) return
      if (wish === 'undo') step(editor.undo())
      else if (wish === 'redo') step(editor.redo())
      else onSave()
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [editor, onStep, onSave, isReadOnly])
}

/** What stands in the place of a document that is not read yet, or cannot be. */
export function LoadingPage({ editor }: { readonly editor: DocumentEditor }): ReactNode {
  const { t } = useTexts()
  const state = useEditorState(editor)
  const { kind } = state.status
  if (kind === 'gone') return <NotFoundPage title={t.editor.missing} text={t.editor.missingText} />
  if (kind === 'loading') return <LoadingPlaceholder label={t.common.loading} />
  return (
    <Page title={t.editor.unread}>
      <SavingNotice editor={editor} state={state} />
    </Page>
  )
}

/** How long leaving waits for a save, in milliseconds. */
const SAVE_MS = 3000

interface LeaveQuestionProps {
  readonly editor: DocumentEditor
  readonly isAutosaved: boolean
}

/** Where something leads within the Studio. */
interface Place {
  readonly pathname: string
  readonly search: object
}

/** A form stays open while its document does. */
const isSamePlace = (one: Place, other: Place): boolean =>
  one.pathname === other.pathname && Reflect.get(one.search, 'locale') === Reflect.get(other.search, 'locale')

/** Saves before a document is left, and asks first where that cannot be. */
function LeaveDialog({ editor, isAutosaved }: LeaveQuestionProps): ReactNode {
  const { t } = useTexts()
  const isDirty = (): boolean => editor.getState().dirty.size > 0
  const blocker = useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      if (isSamePlace(current, next) || !isDirty()) return false
      if (isAutosaved) await Promise.race([editor.flush(), afterMs(SAVE_MS)])
      return isDirty()
    },
    enableBeforeUnload: () => isDirty() && !(isAutosaved && editor.getState().localCopy === 'kept'),
    withResolver: true,
  })
  return (
    <ConfirmDialog
      title={t.editor.leaveTitle}
      text={editor.getState().localCopy === 'failed' ? t.editor.leaveText : t.editor.leaveKeptText}
      isOpen={blocker.status === 'blocked'}
      confirm={t.editor.leave}
      cancel={t.editor.stay}
      onConfirm={() => blocker.proceed?.()}
      onCancel={() => blocker.reset?.()}
    />
  )
}

const afterMs = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const All = lazy(async () => ({ default: (await import('./conflict-panel.tsx')).ConflictPanel }))

/** All that has happened to a document meanwhile; most of the time, that is nothing, and nothing is loaded for it. */
export function LazyConflictPanel(props: ConflictPanelProps): ReactNode {
  const { conflicts, notes, aside } = props.state
  if (conflicts.size + notes.length + aside.length === 0) return null
  return (
    <Suspense>
      <All {...props} />
    </Suspense>
  )
}
