import { useBlocker } from '@tanstack/react-router'
import { type FocusEvent, type FormEvent, lazy, type ReactNode, Suspense, useCallback, useEffect, useId } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { formatPath, type StudioField } from '../model/studio-model.ts'
import { NotFoundPage, Page } from '../shell/page.tsx'
import { Button, IconButton } from '../ui/controls/button.tsx'
import { LoadingPlaceholder } from '../ui/loading-placeholder.tsx'
import { ConfirmDialog } from '../ui/overlays/dialog.tsx'
import { findPressIndex, SHORTCUTS } from '../ui/shortcuts.ts'
import type { ConflictPanelProps } from './conflict-panel.tsx'
import { useEditorState } from './document/use-document.ts'
import styles from './editor.module.css'
import type { FieldIssues } from './fields/field-editor.ts'
import { focusField } from './focus-field.ts'
import type { DocumentEditor } from './saving/document-editor.ts'
import type { EditorState } from './saving/editor-state.ts'
import { SavingLabel, SavingNotice } from './saving-status.tsx'
import panelStyles from './side-panel.module.css'

export interface EditorFrameProps {
  readonly title: string
  readonly above?: ReactNode
  readonly editor: DocumentEditor
  readonly state: EditorState
  readonly isAutosaved: boolean
  readonly isReadOnly: boolean
  readonly readOnlyReason: string
  /** True for a form at full width. @default false */
  readonly isWide?: boolean
  /** Buttons beside the saving status. */
  readonly actions?: ReactNode
  /** Notices about the document, above its fields. */
  readonly notices?: ReactNode
  /** The panel beside the fields, above them on a narrow page. */
  readonly side?: ReactNode
  readonly onBlur?: (event: FocusEvent) => void
  readonly children: ReactNode
}

/** The page around a form: heading, saving status, undo, notices, and the dialog about unsaved changes. */
export function EditorFrame(props: EditorFrameProps): ReactNode {
  const {
    title,
    above,
    editor,
    state,
    isAutosaved,
    isReadOnly,
    readOnlyReason,
    isWide = false,
    actions,
    notices,
    side,
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
  const hasSaveButton = !isReadOnly && (!isAutosaved || state.document.id === null)
  return (
    <Page
      title={title}
      above={above}
      isSticky
      isWide={isWide || side !== undefined}
      {...(isReadOnly ? {} : { status: <SavingLabel editor={editor} /> })}
      actions={
        <>
          {!isReadOnly && <UndoButtons editor={editor} state={state} />}
          {hasSaveButton && (
            <Button type="submit" form={id} variant="primary" isPending={state.status.kind === 'saving'}>
              {t.common.save}
            </Button>
          )}
          {actions}
        </>
      }
    >
      <div role="status">{isReadOnly && <p className={styles.state}>{readOnlyReason}</p>}</div>
      <div className={styles.notices}>
        <SavingNotice editor={editor} state={state} isReadOnly={isReadOnly} />
        {notices}
      </div>
      <form
        id={id}
        onSubmit={submit}
        onBlur={onBlur}
        noValidate
        className={side === undefined ? undefined : panelStyles.layout}
      >
        {side === undefined ? (
          children
        ) : (
          <div className={`${panelStyles.columns} ${isWide ? '' : panelStyles.measured}`}>
            {side}
            {children}
          </div>
        )}
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

type Command = 'undo' | 'redo' | 'save'

const COMMANDS: readonly Command[] = ['undo', 'redo', 'save']

const findCommand = (event: KeyboardEvent): Command | undefined =>
  COMMANDS.find((command) => findPressIndex(SHORTCUTS.entries[command], event) >= 0)

/** True if a field editor has handled the key, or a dialog has the focus. */
const isHandled = ({ defaultPrevented, target }: KeyboardEvent): boolean =>
  defaultPrevented || (target instanceof Element && target.closest('[role=dialog]') !== null)

/**
 * Handles the shortcuts for undo, redo and save, wherever the focus is.
 *
 * @param onStep receives the path of the leaf that was undone or redone
 * @param isReadOnly true to ignore the shortcuts
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
      const command = findCommand(event)
      if (!command || isHandled(event)) return
      event.preventDefault()
      if (isReadOnly) return
      if (command === 'undo') step(editor.undo())
      else if (command === 'redo') step(editor.redo())
      else onSave()
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [editor, onStep, onSave, isReadOnly])
}

/** The page of a document that is loading, missing or unreadable. */
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

/** The maximum time that leaving waits for a save, in milliseconds. */
const SAVE_MS = 3000

interface LeaveDialogProps {
  readonly editor: DocumentEditor
  readonly isAutosaved: boolean
}

interface StudioLocation {
  readonly pathname: string
  readonly search: object
}

/** True if the same document stays open in the same language. */
const isSameDocument = (a: StudioLocation, b: StudioLocation): boolean =>
  a.pathname === b.pathname && Reflect.get(a.search, 'locale') === Reflect.get(b.search, 'locale')

/** Saves before the user leaves a document, and asks for confirmation if edits would stay unsaved. */
function LeaveDialog({ editor, isAutosaved }: LeaveDialogProps): ReactNode {
  const { t } = useTexts()
  const isDirty = (): boolean => editor.getState().dirty.size > 0
  const blocker = useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      if (isSameDocument(current, next) || !isDirty()) return false
      if (isAutosaved) await Promise.race([editor.flush(), delay(SAVE_MS)])
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

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const ConflictPanel = lazy(async () => ({ default: (await import('./conflict-panel.tsx')).ConflictPanel }))

/** Loads {@link ConflictPanel} once there is something to show. */
export function LazyConflictPanel(props: ConflictPanelProps): ReactNode {
  const { conflicts, notes, aside } = props.state
  if (conflicts.size + notes.length + aside.length === 0) return null
  return (
    <Suspense>
      <ConflictPanel {...props} />
    </Suspense>
  )
}

/** The maximum number of fields that the summary lists. */
const MAX_PLACES = 12

interface IssueSummaryProps {
  readonly issues: FieldIssues
  readonly fields: readonly StudioField[]
}

/** Lists the fields with issues; each name focuses its field. */
export function IssueSummary({ issues, fields }: IssueSummaryProps): ReactNode {
  const { t } = useTexts()
  const places = [...issues.keys()].filter((place) => place !== '')
  if (places.length === 0) return null
  return (
    <div className={styles.summary} role="alert">
      <p>{t.publishing.issues}</p>
      <ul>
        {places.slice(0, MAX_PLACES).map((place) => (
          <li key={place}>
            <button type="button" className={styles.jump} onClick={() => focusField(place)}>
              {formatPath(place, fields)}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
