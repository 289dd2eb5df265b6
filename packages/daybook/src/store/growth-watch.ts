/** The interval between reads of the number while anything listens, in milliseconds: hints may be lost, these reads are not. */
const POLL_MS = 1000

/** Receives the last number. */
export type GrowthListener = (seq: number) => void

/**
 * Tells listeners that a number in the database has grown, such as the last one of the journal: at once by a hint, which may be lost, and
 * within a second by reading it. Numbers may be left out, and never come again.
 */
export class GrowthWatch {
  readonly #read: () => Promise<number>
  readonly #listeners = new Set<GrowthListener>()
  #timer: NodeJS.Timeout | undefined
  /** The last number that was told, or from which on there is something to tell. */
  #last: number | undefined
  /** Where the first look begins; `undefined`: with what it finds. */
  #from: number | undefined

  /** @param read reads the number */
  constructor(read: () => Promise<number>) {
    this.#read = read
  }

  /**
   * Calls `listener` after each growth from now on; the function that comes back ends that.
   *
   * @param after a number that may have been exceeded by now: that growth is reported, too, unless it was before
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

  /** Reports that the number has grown to `seq`. */
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
