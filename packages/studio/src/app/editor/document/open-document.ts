import { createStore, del, get, keys, set, type UseStore } from 'idb-keyval'
import { DocumentEditor } from '../saving/document-editor.ts'
import type { EditorOptions } from '../saving/editor-options.ts'
import { type LocalCopies, type LocalCopy, type OpenEditors, pruneCopies } from '../saving/local-copies.ts'
import type { Clock } from '../saving/save-schedule.ts'

/** Stores local copies in IndexedDB, which survives closed tabs and crashes. */
class BrowserCopies implements LocalCopies {
  #database: UseStore | undefined

  get(key: string): Promise<LocalCopy | undefined> {
    return get<LocalCopy>(key, this.#open())
  }

  /** Waits for a frame first, since copying a long document takes longer than rendering a keystroke. */
  async set(key: string, copy: LocalCopy): Promise<void> {
    await nextFrame()
    await set(key, copy, this.#open())
  }

  delete(key: string): Promise<void> {
    return del(key, this.#open())
  }

  list(): Promise<readonly string[]> {
    return keys<string>(this.#open())
  }

  /** Opens the store on first use. Some browsers refuse it, which must not prevent editing. */
  #open(): UseStore {
    this.#database ??= createStore('daybook-studio', 'copies')
    return this.#database
  }
}

/** The maximum wait for a frame, in milliseconds; a tab in the background renders none. */
const FRAME_MS = 50

/** Resolves once pending changes are on the screen. */
const nextFrame = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, FRAME_MS)
    requestAnimationFrame(() => setTimeout(resolve))
  })

const PREFIX = 'daybook-studio-editor-'

/** Tracks open editors by Web Locks, which the browser releases with the tab. Without locks, all other editors count as closed. */
class BrowserEditors implements OpenEditors {
  readonly #locks: LockManager | undefined = navigator.locks

  register(editor: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#locks?.request(PREFIX + editor, () => promise).catch(() => undefined)
    return resolve
  }

  async isOpen(editor: string): Promise<boolean> {
    const { held: heldLocks = [], pending: pendingLocks = [] } = (await this.#locks?.query()) ?? {}
    return [...heldLocks, ...pendingLocks].some(({ name }) => name === PREFIX + editor)
  }
}

/** The options of {@link openDocument}, which adds those that depend on the browser. */
export type DocumentOptions = Omit<
  EditorOptions,
  'copies' | 'openEditors' | 'clock' | 'generateName' | 'random' | 'times'
>

export const browserCopies = new BrowserCopies()
export const browserEditors = new BrowserEditors()

const pageClock: Clock = {
  now: () => Date.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}

let isPruned = false

/** Creates an editor for a document. The caller starts and closes it. */
export function openDocument(options: DocumentOptions): DocumentEditor {
  // Once per page load is enough, since old copies only take up space.
  if (!isPruned) pruneCopies(browserCopies, browserEditors, Date.now()).catch(() => undefined)
  isPruned = true
  return new DocumentEditor({
    ...options,
    copies: browserCopies,
    openEditors: browserEditors,
    clock: pageClock,
    generateName,
  })
}

/** Generates a random name. Pages without TLS have no `crypto.randomUUID`. */
export const generateName = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
