import { createStore, del, get, keys, set, type UseStore } from 'idb-keyval'
import type { LocalCopies, LocalCopy } from '../saving/copies/local-copies.ts'

/** Keeps local copies in the browser's own database, which outlives tabs and crashes. */
export class BrowserCopies implements LocalCopies {
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
