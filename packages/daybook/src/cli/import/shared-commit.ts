import type { Transact } from '../../content/writes/prepared.ts'

/** Holds the writes of a batch back until all of them are ready, so that the store commits them together. */
export class SharedCommit {
  readonly #transact: Transact
  /** How many of the batch are not ready yet. */
  #busy: number
  #ready: (() => void)[] = []

  /** @param size how many write, each of them one thing after the other */
  constructor(transact: Transact, size: number) {
    this.#transact = transact
    this.#busy = size
  }

  readonly transact: Transact = async (work, options) => {
    await this.#others()
    return this.#transact(work, options)
  }

  /** One of the batch writes no more. */
  leave(): void {
    this.#busy -= 1
    this.#release()
  }

  #others(): Promise<void> {
    return new Promise((resolve) => {
      this.#ready.push(resolve)
      this.leave()
    })
  }

  #release(): void {
    if (this.#busy > 0) return
    const ready = this.#ready.splice(0)
    this.#busy = ready.length
    for (const go of ready) go()
  }
}
