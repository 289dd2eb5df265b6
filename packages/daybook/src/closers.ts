/**
 * What has been opened for something, and how it is closed: in reverse order, when it could not be completed, or at its end. Node 22 has no
 * `AsyncDisposableStack`.
 */
export class Closers {
  readonly #closers: (() => unknown)[] = []

  /** Notes how what has just been opened is closed. */
  defer(close: () => unknown): void {
    this.#closers.push(close)
  }

  /** Closes all of it, each thing once; what fails to close does not keep the others open. */
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
