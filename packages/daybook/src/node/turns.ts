/** Counts turns of the event loop, as far as requests come in them. */
export class Turns {
  #current = 0
  #isMarked = false

  /** The number of the present turn. */
  get current(): number {
    if (!this.#isMarked) {
      this.#isMarked = true
      setImmediate(() => this.#end())
    }
    return this.#current
  }

  #end(): void {
    this.#isMarked = false
    this.#current += 1
  }
}
