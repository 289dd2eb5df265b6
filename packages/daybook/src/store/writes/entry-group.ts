/** A change that waits for the others of its group. */
interface WaitingChange<Change> {
  readonly change: Change
  readonly resolve: (seq: number) => void
  readonly reject: (reason: unknown) => void
}

/** Changes of entries that are stored together, once each work of a group waits for its own or has ended. */
export class EntryGroup<Change> {
  readonly #store: (changes: readonly Change[]) => Promise<readonly number[]>
  #running: number
  #waiting: WaitingChange<Change>[] = []

  /**
   * @param works how many works there are
   * @param store stores changes in this order, and answers the number of each
   */
  constructor(works: number, store: (changes: readonly Change[]) => Promise<readonly number[]>) {
    this.#running = works
    this.#store = store
  }

  /** Stores a change with those of the other works, and answers its number. */
  add(change: Change): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ change, resolve, reject })
      void this.#storeOnceComplete()
    })
  }

  /** Says that a work has ended. */
  end(): void {
    this.#running -= 1
    void this.#storeOnceComplete()
  }

  async #storeOnceComplete(): Promise<void> {
    if (this.#waiting.length === 0 || this.#waiting.length < this.#running) return
    const stored = this.#waiting
    this.#waiting = []
    try {
      const numbers = await this.#store(stored.map(({ change }) => change))
      for (const [index, { resolve }] of stored.entries()) resolve(Number(numbers[index]))
    } catch (error) {
      for (const { reject } of stored) reject(error)
    }
  }
}
