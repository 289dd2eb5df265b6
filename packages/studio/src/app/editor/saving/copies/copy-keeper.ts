import { copyKey, type LocalCopies, type LocalCopy } from './local-copies.ts'

/** Whether what is not stored by the service is safe in this browser. `failed`: the browser's store is full, or not allowed. */
export type CopyState = 'none' | 'writing' | 'kept' | 'failed'

/** Writes the local copy of one editor: one write at a time, always the newest. */
export class CopyKeeper {
  readonly #copies: LocalCopies
  readonly #onChange: () => void
  #state: CopyState = 'none'
  #key: string | undefined
  #next: { readonly copy: LocalCopy | undefined } | undefined
  #writing: Promise<void> | undefined

  constructor(copies: LocalCopies, onChange: () => void) {
    this.#copies = copies
    this.#onChange = onChange
  }

  get state(): CopyState {
    return this.#state
  }

  /**
   * Writes a copy, or deletes the one that is there. Never fails: see {@link state}.
   *
   * @returns when this copy, or a newer one, is written
   */
  keep(copy: LocalCopy | undefined): Promise<void> {
    this.#next = { copy }
    this.#writing ??= this.#writeAll()
    return this.#writing
  }

  /** @returns when nothing is being written */
  async idle(): Promise<void> {
    await this.#writing
  }

  async #writeAll(): Promise<void> {
    while (this.#next) {
      const { copy } = this.#next
      this.#next = undefined
      const state = await this.#write(copy).catch((): CopyState => 'failed')
      if (state !== this.#state) {
        this.#state = state
        this.#onChange()
      }
    }
    // At once: a copy that comes after the last look has to begin another write.
    this.#writing = undefined
  }

  async #write(copy: LocalCopy | undefined): Promise<CopyState> {
    const former = this.#key
    const key = copy && copyKey(copy)
    if (copy && key !== undefined) await this.#copies.set(key, copy)
    this.#key = key ?? former
    // An entry that was created goes on under its id.
    if (former !== undefined && former !== key) await this.#copies.delete(former)
    this.#key = key
    return copy ? 'kept' : 'none'
  }
}
