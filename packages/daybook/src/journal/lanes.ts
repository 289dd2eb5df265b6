import pLimit, { type LimitFunction } from 'p-limit'

/** Work in lanes: that of one lane one at a time, in order; that of different lanes at once, up to a limit. */
export class Lanes {
  readonly #limit: LimitFunction
  readonly #ends = new Map<string, Promise<void>>()

  /** @param limit how much runs at once */
  constructor(limit: number) {
    this.#limit = pLimit(limit)
  }

  get isIdle(): boolean {
    return this.#ends.size === 0
  }

  /** Adds work to a lane. It must not reject. */
  add(lane: string, work: () => Promise<void>): void {
    const before = this.#ends.get(lane) ?? Promise.resolve()
    const end: Promise<void> = before.then(() => this.#limit(work)).then(() => this.#leave(lane, end))
    this.#ends.set(lane, end)
  }

  #leave(lane: string, end: Promise<void>): void {
    if (this.#ends.get(lane) === end) this.#ends.delete(lane)
  }

  /** Resolves when no work is left. */
  async idle(): Promise<void> {
    while (!this.isIdle) await Promise.all(this.#ends.values())
  }
}
