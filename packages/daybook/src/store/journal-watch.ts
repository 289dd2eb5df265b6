/** How often the journal is looked at while anything listens, in milliseconds: hints may be lost, this is not. */
const POLL_MS = 1000

/** Is told the last number of the journal. */
export type GrowthListener = (seq: number) => void

/**
 * Tells listeners that the journal has grown: at once by a hint, which may be lost, and within a second by looking.
 * Numbers may be left out, and never come again.
 */
export class JournalWatch {
  readonly #read: () => Promise<number>
  readonly #listeners = new Set<GrowthListener>()
  #timer: NodeJS.Timeout | undefined
  /** The last number that was told, or from which on there is something to tell. */
  #last: number | undefined
  /** Where the first look begins; `undefined`: with what it finds. */
  #from: number | undefined

  /** @param read asks for the last number of the journal */
  constructor(read: () => Promise<number>) {
    this.#read = read
  }

  /**
   * Calls `listener` after each growth from now on; the function that comes back ends that.
   *
   * @param after a number that the journal may have grown beyond by now: that is told, too, unless it was before
   */
  listen(listener: GrowthListener, after?: number): () => void {
    if (after !== undefined) this.#from = Math.min(after, this.#from ?? after)
    this.#listeners.add(listener)
    this.#timer ??= this.#begin()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.close()
    }
  }

  /** Says that the journal has come to this number. */
  hint(seq: number): void {
    if (this.#last !== undefined && seq <= this.#last) return
    this.#last = seq
    for (const listener of [...this.#listeners]) listener(seq)
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #begin(): NodeJS.Timeout {
    void this.#look()
    return setInterval(() => void this.#look(), POLL_MS).unref()
  }

  async #look(): Promise<void> {
    // A database that does not answer now is asked again.
    const seq = await this.#read().catch(() => undefined)
    if (seq === undefined) return
    this.#last ??= Math.min(seq, this.#from ?? seq)
    this.hint(seq)
  }
}
