import type { LiveChange } from '../../talk/live.ts'
import type { Signal } from '../../talk/signal.ts'
import type { DocumentEditor } from '../saving/document-editor.ts'

/** What of the page an editor is told. */
export interface WatchOptions {
  readonly changes: Signal<LiveChange>
  /** The key of a collection, or `globals`, as live events have it. */
  readonly collection: string
  /** Whether what is typed is saved when the tab is hidden. */
  readonly isAutosaved: boolean
}

/** Tells an editor what happens around it: the network comes back, the tab is left or looked at again, others change the document. @returns ends that */
export function watchPage(editor: DocumentEditor, { changes, collection, isAutosaved }: WatchOptions): () => void {
  const ending = new AbortController()
  const { signal } = ending
  const isStored = (): boolean => editor.getState().document.id !== null
  window.addEventListener('online', () => void editor.online(), { signal })
  document.addEventListener(
    'visibilitychange',
    () => {
      if (document.visibilityState === 'visible') void editor.refresh()
      else if (isAutosaved && isStored() && editor.getState().dirty.size > 0) void editor.flush()
    },
    { signal },
  )
  const unsubscribe = changes.subscribe((change) => {
    const isThis = change.collection === collection && change.id === editor.getState().document.id
    if (isThis) void editor.refresh()
  })
  return () => {
    ending.abort()
    unsubscribe()
  }
}
