import { getRetryDelay, type WaitReason, type WaitTimes } from './failure.ts'

/** The time, as an editor knows it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls a function once, after so many milliseconds. @returns cancels that */
  after(ms: number, call: () => void): () => void
}

/** When the engine saves. */
export interface ScheduleTimes extends WaitTimes {
  /** How long after the last edit it is saved. @default 800 */
  readonly debounceMs: number
  /** How long after the first edit it is saved, also while somebody types on. @default 5,000 */
  readonly longestUnsavedMs: number
}

/** A pause of the engine. */
export interface Wait {
  readonly reason: WaitReason
  /** In milliseconds since 1970. */
  readonly until: number
}

/** Tells when to save next: some time after an edit, at once when somebody asks, and not before a pause is over. */
export class SaveSchedule {
  readonly #clock: Clock
  readonly #times: ScheduleTimes
  readonly #random: () => number
  /** Whether what is due is saved without being asked for. */
  readonly #isAutomatic: () => boolean
  #due: { readonly at: number; readonly atLatest: number } | undefined
  #isAsked = false
  #wait: Wait | undefined
  #failures = 0

  constructor(clock: Clock, times: ScheduleTimes, random: () => number, isAutomatic: () => boolean) {
    this.#clock = clock
    this.#times = times
    this.#random = random
    this.#isAutomatic = isAutomatic
  }

  get wait(): Wait | undefined {
    return this.#wait
  }

  /** There was an edit. @param goesOn whether others wait to be saved already */
  noteEdit(goesOn: boolean): void {
    const now = this.#clock.now()
    const atLatest = (goesOn ? this.#due?.atLatest : undefined) ?? now + this.#times.longestUnsavedMs
    this.#due = { at: Math.min(now + this.#times.debounceMs, atLatest), atLatest }
  }

  /** Somebody wants it saved now, whatever the network. */
  requestSave(): void {
    this.#isAsked = true
    if (this.#wait?.reason === 'offline') this.#wait = undefined
  }

  /** What was asked for is done, or cannot be done. */
  clearRequest(): void {
    this.#isAsked = false
  }

  /** A save begins with all that is there: what comes now has a time of its own. */
  startSave(): void {
    this.#due = undefined
  }

  /** A request is over. What is left is saved at once, if it has no time of its own. */
  scheduleRemaining(hasWork: boolean): void {
    const now = this.#clock.now()
    this.#due = hasWork ? (this.#due ?? { at: now, atLatest: now }) : undefined
  }

  resetFailures(): void {
    this.#failures = 0
  }

  /** Waits, longer after each failure in a row. */
  pause(reason: WaitReason, retryAfterMs: number): void {
    this.#failures += 1
    const pause = getRetryDelay(this.#failures, retryAfterMs, this.#random(), this.#times)
    this.#wait = { reason, until: this.#clock.now() + pause }
  }

  /** Ends a pause. */
  resume(): void {
    this.#wait = undefined
  }

  /** Whether it has to wait still; a pause that is over ends. */
  isWaiting(): boolean {
    if (this.#wait && this.#wait.until <= this.#clock.now()) this.#wait = undefined
    return this.#wait !== undefined
  }

  /** Whether to save now, if there is something to save. */
  isDue(): boolean {
    return this.#isAsked || (this.#isAutomatic() && this.#due !== undefined && this.#due.at <= this.#clock.now())
  }

  /** In how many milliseconds to look again; `undefined`: not by itself. */
  getNextDelay({ mustRead, hasWork }: { readonly mustRead: boolean; readonly hasWork: boolean }): number | undefined {
    const willSave = hasWork && (this.#isAutomatic() || this.#isAsked)
    const at = this.#wait?.until ?? (mustRead ? this.#clock.now() : this.#due?.at)
    return at !== undefined && (mustRead || willSave) ? Math.max(0, at - this.#clock.now()) : undefined
  }
}
