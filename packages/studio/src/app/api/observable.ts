import { useSyncExternalStore } from 'react'

/** A value that changes, and those who want to know. */
export class Observable<T> {
  #value: T
  readonly #listeners = new Set<() => void>()

  constructor(value: T) {
    this.#value = value
  }

  readonly get = (): T => this.#value

  set(value: T): void {
    if (Object.is(value, this.#value)) return
    this.#value = value
    for (const listener of this.#listeners) listener()
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** The present value, drawn anew when it changes. */
export const useObservable = <T>({ subscribe, get }: Observable<T>): T => useSyncExternalStore(subscribe, get)

/** Tells something to those who want to know. */
export class Emitter<T> {
  readonly #listeners = new Set<(news: T) => void>()

  emit(news: T): void {
    for (const listener of this.#listeners) listener(news)
  }

  /** @returns ends it */
  readonly subscribe = (listener: (news: T) => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
