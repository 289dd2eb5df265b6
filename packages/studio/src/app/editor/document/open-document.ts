import { pruneCopies } from '../saving/copies/local-copies.ts'
import { DocumentEditor } from '../saving/document-editor.ts'
import type { EditorOptions } from '../saving/editor-options.ts'
import type { Clock } from '../saving/save-schedule.ts'
import { BrowserCopies } from './browser-copies.ts'
import { BrowserEditors } from './browser-editors.ts'
import { newName } from './new-name.ts'

/** What a document is opened with; the browser brings the rest. */
export type DocumentOptions = Omit<EditorOptions, 'copies' | 'open' | 'clock' | 'newName' | 'random' | 'times'>

/** The local copies of this browser. */
export const browserCopies = new BrowserCopies()
/** The editors that are open in this browser. */
export const browserEditors = new BrowserEditors()

const pageClock: Clock = {
  now: () => Date.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}

let isPruned = false

/** Opens an editor of a document in this browser. Its caller starts it, and closes it. */
export function openDocument(options: DocumentOptions): DocumentEditor {
  // Once for a page: old copies take room, and are in nobody's way.
  if (!isPruned) pruneCopies(browserCopies, browserEditors, Date.now()).catch(() => undefined)
  isPruned = true
  return new DocumentEditor({
    ...options,
    copies: browserCopies,
    open: browserEditors,
    clock: pageClock,
    newName,
  })
}
