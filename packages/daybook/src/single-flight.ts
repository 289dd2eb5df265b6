/** Shares running work between all callers that ask for the same key. */
export class SingleFlight<Result> {
  readonly #running: Map<string, Promise<Result>> = new Map<string, Promise<Result>>()

  isRunning(key: string): boolean {
    return this.#running.has(key)
  }

  /** Starts the work, or joins the running work with the same key. */
  run(key: string, work: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(key)
    if (running) return running
    const started = work().finally(() => this.#running.delete(key))
    this.#running.set(key, started)
    return started
  }
}
