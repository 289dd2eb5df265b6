import { createStore, del, get, keys, set, type UseStore } from 'idb-keyval'
import type { LocalCopies, LocalCopy } from '../saving/copies/local-copies.ts'

/** Keeps local copies in the browser's own database, which outlives tabs and crashes. */
export class BrowserCopies implements LocalCopies {
  #opened: UseStore | undefined

  get(key: string): Promise<LocalCopy | undefined> {
    return get<LocalCopy>(key, this.#store())
  }

  set(key: string, copy: LocalCopy): Promise<void> {
    return set(key, copy, this.#store())
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
