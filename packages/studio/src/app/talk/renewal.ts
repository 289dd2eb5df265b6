import { Observable } from './observable.ts'

/** A new session in the place of one that has ended: calls wait here until somebody has signed in again. */
export class Renewal {
  /** Whether a call waits. */
  readonly isAsked: Observable<boolean> = new Observable(false)
  #waiting: PromiseWithResolvers<boolean> | undefined

  /** Answers whether there is a session now; calls that come meanwhile wait for the same answer. */
  ask(): Promise<boolean> {
    this.#waiting ??= Promise.withResolvers()
    this.isAsked.set(true)
    return this.#waiting.promise
  }

  /** Lets the waiting calls go on. */
  settle(isRenewed: boolean): void {
    this.#waiting?.resolve(isRenewed)
    this.#waiting = undefined
    this.isAsked.set(false)
  }
}
