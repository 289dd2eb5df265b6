import { useBlocker } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useId } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { Page } from '../shell/page.tsx'
import { errorText } from '../talk/error-texts.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import styles from './editor.module.css'

/** What an {@link EditorFrame} takes. */
export interface EditorFrameProps {
  readonly title: string
  readonly above?: ReactNode
  readonly isChanged: boolean
  readonly isSaving: boolean
  /** What the last save failed with. */
  readonly error: unknown
  /** Absent: nothing can be saved. */
  readonly onSave?: (() => void) | undefined
  /** Buttons beside that which saves. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The page around a form: its heading, the state of saving, and the question before unsaved changes are left. */
export function EditorFrame(props: EditorFrameProps): ReactNode {
  const { title, above, isChanged, isSaving, error, onSave, actions, children } = props
  const { t } = useTexts()
  const id = useId()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isChanged && !isSaving) onSave?.()
  }
  const buttons = onSave && (
    <>
      <SavingState isChanged={isChanged} isSaving={isSaving} />
      {actions}
      <Button type="submit" form={id} variant="primary" isDisabled={!isChanged} isPending={isSaving}>
        {t.common.save}
      </Button>
    </>
  )
  return (
    <Page title={title} above={above} actions={buttons}>
      {onSave === undefined && <p className={styles.state}>{t.editor.readOnly}</p>}
      {error !== null && error !== undefined && (
        <p role="alert" className={styles.problem}>
          {errorText(error, t)}
        </p>
      )}
      <form id={id} onSubmit={submit} noValidate>
        {children}
      </form>
      <LeaveQuestion isChanged={isChanged} />
    </Page>
  )
}

function SavingState({ isChanged, isSaving }: Pick<EditorFrameProps, 'isChanged' | 'isSaving'>): ReactNode {
  const { t } = useTexts()
  const unsaved = isChanged ? t.editor.unsaved : t.editor.saved
  return (
    <p role="status" className={styles.state}>
      {isSaving ? t.editor.saving : unsaved}
    </p>
  )
}

function LeaveQuestion({ isChanged }: { readonly isChanged: boolean }): ReactNode {
  const { t } = useTexts()
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isChanged && current.pathname !== next.pathname,
    enableBeforeUnload: isChanged,
    withResolver: true,
  })
  return (
    <ConfirmDialog
      title={t.editor.leaveTitle}
      text={t.editor.leaveText}
      isOpen={blocker.status === 'blocked'}
      confirm={t.editor.leave}
      cancel={t.editor.stay}
      onConfirm={() => blocker.proceed?.()}
      onCancel={() => blocker.reset?.()}
    />
  )
}
