import { startTransition, useEffect, useState, useSyncExternalStore } from 'react'
import { useSession } from '../../session/use-session.ts'
import { useStudio } from '../../talk/studio.ts'
import type { DocumentEditor } from '../saving/document-editor.ts'
import type { EditorState } from '../saving/editor-state.ts'
import { type DocumentOptions, openDocument } from './open-document.ts'
import { useNewSession } from './use-new-session.ts'
import { watchPage } from './watch-page.ts'

/** Which document is opened: all but who opens it. */
export interface DocumentSpec extends Omit<DocumentOptions, 'person'> {
  /** The key that live events name it by: of its collection, or `globals`. */
  readonly liveKey: string
}

/**
 * Opens a document for as long as its component is shown. What is not stored when it goes stays in this browser.
 *
 * @param make called once: another document needs another `key` of the component
 */
export function useDocument(make: () => DocumentSpec): DocumentEditor | undefined {
  const { changes } = useStudio()
  const { identity } = useSession()
  // What was opened belongs to the person who opened it, also when another one signs in.
  const [spec] = useState(() => ({ ...make(), person: identity?.subject ?? '' }))
  const [editor, setEditor] = useState<DocumentEditor>()
  useEffect(() => {
    const own = openDocument(spec)
    setEditor(own)
    const unwatch = watchPage(own, { changes, collection: spec.liveKey, isAutosaved: spec.isAutosaved })
    void own.start()
    return () => {
      unwatch()
      own.close()
    }
  }, [spec, changes])
  useNewSession(editor)
  return editor
}

/** What an editor shows, drawn anew at once when it changes: for fields, and for what says how far saving has come. */
export const useEditorState = ({ subscribe, getState }: DocumentEditor): EditorState =>
  useSyncExternalStore(subscribe, getState)

/** The same for what stands around the fields: it is drawn after them, so that it holds up no key. */
export function useFrameState({ subscribe, getState }: DocumentEditor): EditorState {
  const [state, setState] = useState(getState)
  useEffect(() => {
    const take = (): void => startTransition(() => setState(getState()))
    // It may have changed since it was drawn first.
    take()
    return subscribe(take)
  }, [subscribe, getState])
  return state
}
