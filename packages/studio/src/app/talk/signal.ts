/** Tells something to those who want to know. */
export class Signal<T> {
  readonly #listeners = new Set<(news: T) => void>()

  send(news: T): void {
    for (const listener of this.#listeners) listener(news)
  }

  /** @returns ends it */
  readonly subscribe = (listener: (news: T) => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
