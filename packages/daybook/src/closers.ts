/**
 * A stack of functions that close opened resources, in reverse order. Node 22 has no `AsyncDisposableStack`.
 */
export class Closers {
  readonly #closers: (() => unknown)[] = []

  /** Adds the function that closes a resource. */
  defer(close: () => unknown): void {
    this.#closers.push(close)
  }

  /** Closes every resource once, even if some fail. @throws the first error */
  async close(): Promise<void> {
    const faults: unknown[] = []
    for (let close = this.#closers.pop(); close; close = this.#closers.pop()) {
      try {
        await close()
      } catch (error) {
        faults.push(error)
      }
    }
    if (faults.length > 0) throw faults[0]
  }
}
