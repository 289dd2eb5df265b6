import { createStore, del, get, keys, set, type UseStore } from 'idb-keyval'
import { DocumentEditor } from '../saving/document-editor.ts'
import type { EditorOptions } from '../saving/editor-options.ts'
import { type LocalCopies, type LocalCopy, type OpenEditors, pruneCopies } from '../saving/local-copies.ts'
import type { Clock } from '../saving/save-schedule.ts'

/** Keeps local copies in the browser's own database, which outlives tabs and crashes. */
class BrowserCopies implements LocalCopies {
  #opened: UseStore | undefined

  get(key: string): Promise<LocalCopy | undefined> {
    return get<LocalCopy>(key, this.#store())
  }

  /** Copying a long document takes longer than drawing a key: what is typed is drawn first. */
  async set(key: string, copy: LocalCopy): Promise<void> {
    await drawn()
    await set(key, copy, this.#store())
  }

  delete(key: string): Promise<void> {
    return del(key, this.#store())
  }

  list(): Promise<readonly string[]> {
    return keys<string>(this.#store())
  }

  /** Opened when it is needed: some browsers refuse it, which is no reason not to edit. */
  #store(): UseStore {
    this.#opened ??= createStore('daybook-studio', 'copies')
    return this.#opened
  }
}

/** The longest wait for a frame, in milliseconds: a tab in the background draws none. */
const FRAME_MS = 50

/** Ends when what has changed is on the screen. */
const drawn = (): Promise<void> =>
  new Promise((done) => {
    setTimeout(done, FRAME_MS)
    requestAnimationFrame(() => setTimeout(done))
  })

const PREFIX = 'daybook-studio-editor-'

/** Tells which editors are open by the browser's locks, which end with their tab. Where a page may not use locks, every other one counts as closed. */
class BrowserEditors implements OpenEditors {
  readonly #locks: LockManager | undefined = navigator.locks

  register(editor: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#locks?.request(PREFIX + editor, () => promise).catch(() => undefined)
    return resolve
  }

  async isOpen(editor: string): Promise<boolean> {
    const { held = [], pending = [] } = (await this.#locks?.query()) ?? {}
    return [...held, ...pending].some(({ name }) => name === PREFIX + editor)
  }
}

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
    newName: generateName,
  })
}

/** A random name. Pages without TLS have no `crypto.randomUUID`. */
export const generateName = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
