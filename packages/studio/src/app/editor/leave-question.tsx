import { useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTexts } from '../messages/messages.tsx'
import { ConfirmDialog } from '../ui/overlays/dialog.tsx'
import type { DocumentEditor } from './saving/document-editor.ts'

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
export function LeaveQuestion({ editor, isAutosaved }: LeaveQuestionProps): ReactNode {
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
