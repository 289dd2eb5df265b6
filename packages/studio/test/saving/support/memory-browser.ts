import type { LocalCopies, LocalCopy, OpenEditors } from '../../../src/app/editor/saving/local-copies.ts'

/** The store of a browser, whose content outlives editors. */
export class MemoryCopies implements LocalCopies {
  readonly #copies = new Map<string, LocalCopy>()
  isFull = false

  async get(key: string): Promise<LocalCopy | undefined> {
    return structuredClone(this.#copies.get(key))
  }

  async set(key: string, copy: LocalCopy): Promise<void> {
    if (this.isFull) throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
    this.#copies.set(key, structuredClone(copy))
  }

  async delete(key: string): Promise<void> {
    this.#copies.delete(key)
  }

  async list(): Promise<readonly string[]> {
    return [...this.#copies.keys()]
  }

  all(): readonly LocalCopy[] {
    return [...this.#copies.values()]
  }
}

/** The open editors of a browser. */
export class MemoryEditors implements OpenEditors {
  readonly #open = new Set<string>()

  register(editor: string): () => void {
    this.#open.add(editor)
    return () => this.#open.delete(editor)
  }

  async isOpen(editor: string): Promise<boolean> {
    return this.#open.has(editor)
  }
}
