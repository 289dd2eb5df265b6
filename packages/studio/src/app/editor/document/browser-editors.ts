import type { OpenEditors } from '../saving/copies/local-copies.ts'

const PREFIX = 'daybook-studio-editor-'

/** Tells which editors are open by the browser's locks, which end with their tab. Where a page may not use locks, every other one counts as closed. */
export class BrowserEditors implements OpenEditors {
  readonly #locks: LockManager | undefined = navigator.locks

  hold(editor: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#locks?.request(PREFIX + editor, () => promise).catch(() => undefined)
    return resolve
  }

  async isHeld(editor: string): Promise<boolean> {
    const { held = [], pending = [] } = (await this.#locks?.query()) ?? {}
    return [...held, ...pending].some(({ name }) => name === PREFIX + editor)
  }
}
