import { useSyncExternalStore } from 'react'

/** A value with listeners that are called when it changes. */
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

/** Returns the current value, and renders again when it changes. */
export const useObservable = <T>({ subscribe, get }: Observable<T>): T => useSyncExternalStore(subscribe, get)

export class Emitter<T> {
  readonly #listeners = new Set<(event: T) => void>()

  emit(event: T): void {
    for (const listener of this.#listeners) listener(event)
  }

  /** @returns a function that ends the subscription */
  readonly subscribe = (listener: (event: T) => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
