import { useEffect } from 'react'
import { pressedAt, SHORTCUTS } from '../../ui/shortcuts.ts'
import type { DocumentEditor } from '../saving/document-editor.ts'

/** What keys ask of a document. */
type Wish = 'undo' | 'redo' | 'save'

const WISHES: readonly Wish[] = ['undo', 'redo', 'save']

const wishOf = (event: KeyboardEvent): Wish | undefined =>
  WISHES.find((wish) => pressedAt(SHORTCUTS.entries[wish], event) >= 0)

/** Editors of fields that have handled a key themselves, and windows over the page, come first. */
const isTaken = ({ defaultPrevented, target }: KeyboardEvent): boolean =>
  defaultPrevented || (target instanceof Element && target.closest('[role=dialog]') !== null)

/**
 * Undo, redo and save, wherever the focus is on the page.
 *
 * @param onStep called with the leaf that was undone or done again
 * @param isReadOnly true if the document cannot be changed: the keys do nothing then
 */
export function useDocumentKeys(
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
