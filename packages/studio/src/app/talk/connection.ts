import { DaybookError, NetworkError, TimeoutError } from '@daybook/client'
import { Observable } from './observable.ts'

/** How long to wait before asking again whether the service is back, in milliseconds. */
const ASK_AGAIN_MS = 3000

/** Whether an error says that the service cannot be reached now. */
export const isAwayError = (error: unknown): boolean =>
  error instanceof NetworkError ||
  error instanceof TimeoutError ||
  (error instanceof DaybookError && error.status === 503)

/** Whether the service can be reached. Everything that talks to it notes how that went. */
export class Connection {
  readonly isAway: Observable<boolean> = new Observable(false)
  readonly #ask: () => Promise<unknown>
  readonly #onReturn: () => void
  #timer: ReturnType<typeof setTimeout> | undefined

  /**
   * @param ask asks the service anything
   * @param onReturn called when it answers again
   */
  constructor(ask: () => Promise<unknown>, onReturn: () => void) {
    this.#ask = ask
    this.#onReturn = onReturn
  }

  /** Notes what a call failed with. */
  noteError(error: unknown): void {
    if (!isAwayError(error) || this.isAway.get()) return
    this.isAway.set(true)
    this.#askLater()
  }

  /** Notes that a call was answered. */
  noteAnswer(): void {
    if (!this.isAway.get()) return
    clearTimeout(this.#timer)
    this.isAway.set(false)
    this.#onReturn()
  }

  #askLater(): void {
    this.#timer = setTimeout(() => {
      this.#ask().then(
        () => this.noteAnswer(),
        () => this.#askLater(),
      )
    }, ASK_AGAIN_MS)
  }
}
