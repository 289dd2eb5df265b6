/** Does a piece of work once for all that ask for it meanwhile. */
export class SingleFlight<Result> {
  readonly #running: Map<string, Promise<Result>> = new Map<string, Promise<Result>>()

  /** Begins the work, or joins the one with this key that is under way. */
  run(key: string, work: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(key)
    if (running) return running
    const started = work().finally(() => this.#running.delete(key))
    this.#running.set(key, started)
    return started
  }
}
