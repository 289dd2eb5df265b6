/** The interval between reads of the number while there are listeners, in milliseconds. Hints may be lost, reads are not. */
const POLL_MS = 1000

/** Receives the current number. */
export type GrowthListener = (seq: number) => void

/**
 * Notifies listeners when a number in the database grows, such as the head of the journal: at once by a hint, which may be lost, and within
 * a second by polling. Numbers may be skipped, and never repeat.
 */
export class GrowthWatch {
  readonly #read: () => Promise<number>
  readonly #listeners = new Set<GrowthListener>()
  #timer: NodeJS.Timeout | undefined
  /** The last reported number; listeners hear of every greater one. */
  #last: number | undefined
  /** The number after which the first poll reports growth; `undefined`: the number that it reads. */
  #from: number | undefined

  constructor(read: () => Promise<number>) {
    this.#read = read
  }

  /**
   * Calls `listener` after each growth. The returned function unsubscribes.
   *
   * @param after a number that may already have been exceeded: that growth is reported, too, unless it was before
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
    void this.#poll()
    return setInterval(() => void this.#poll(), POLL_MS).unref()
  }

  async #poll(): Promise<void> {
    // If the database does not respond, the next poll tries again.
    const seq = await this.#read().catch(() => undefined)
    if (seq === undefined) return
    this.#last ??= Math.min(seq, this.#from ?? seq)
    this.hint(seq)
  }
}
