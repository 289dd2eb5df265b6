import { getRetryDelay, type WaitReason, type WaitTimes } from './failure.ts'

/** A clock that tests can replace. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls a function once after `ms` milliseconds. @returns a function that cancels the call */
  after(ms: number, call: () => void): () => void
}

/** The times of saves and retries, in milliseconds. */
export interface ScheduleTimes extends WaitTimes {
  /** The time from the last edit to a save. @default 800 */
  readonly debounceMs: number
  /** The maximum time from the first edit to a save, even while the user is typing. @default 5,000 */
  readonly longestUnsavedMs: number
}

/** A pause before the next request. */
export interface Wait {
  readonly reason: WaitReason
  /** In milliseconds since 1970. */
  readonly until: number
}

/** Decides when to save: some time after an edit, at once on request, and not during a pause. */
export class SaveSchedule {
  readonly #clock: Clock
  readonly #times: ScheduleTimes
  readonly #random: () => number
  /** Returns true if due edits are saved without a request. */
  readonly #isAutomatic: () => boolean
  #due: { readonly at: number; readonly atLatest: number } | undefined
  #isRequested = false
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

  /** Records an edit. @param hasWork true if earlier edits are still unsaved */
  noteEdit(hasWork: boolean): void {
    const now = this.#clock.now()
    const atLatest = (hasWork ? this.#due?.atLatest : undefined) ?? now + this.#times.longestUnsavedMs
    this.#due = { at: Math.min(now + this.#times.debounceMs, atLatest), atLatest }
  }

  /** Requests a save now, even if the browser was offline. */
  requestSave(): void {
    this.#isRequested = true
    if (this.#wait?.reason === 'offline') this.#wait = undefined
  }

  /** Clears a requested save that is done, or cannot be done. */
  clearRequest(): void {
    this.#isRequested = false
  }

  /** Records the start of a save. Later edits get their own due time. */
  startSave(): void {
    this.#due = undefined
  }

  /** Schedules the remaining work after a request: at once, unless it already has a due time. */
  scheduleRemaining(hasWork: boolean): void {
    const now = this.#clock.now()
    this.#due = hasWork ? (this.#due ?? { at: now, atLatest: now }) : undefined
  }

  resetFailures(): void {
    this.#failures = 0
  }

  /** Pauses, longer after each consecutive failure. */
  pause(reason: WaitReason, retryAfterMs: number): void {
    this.#failures += 1
    const pause = getRetryDelay(this.#failures, retryAfterMs, this.#random(), this.#times)
    this.#wait = { reason, until: this.#clock.now() + pause }
  }

  resume(): void {
    this.#wait = undefined
  }

  /** Returns true during a pause, and ends one that is over. */
  isWaiting(): boolean {
    if (this.#wait && this.#wait.until <= this.#clock.now()) this.#wait = undefined
    return this.#wait !== undefined
  }

  /** Returns true if work should be saved now. */
  isDue(): boolean {
    return this.#isRequested || (this.#isAutomatic() && this.#due !== undefined && this.#due.at <= this.#clock.now())
  }

  /** Returns the time to the next run, in milliseconds; `undefined` if none is needed. */
  getNextDelay({ mustRead, hasWork }: { readonly mustRead: boolean; readonly hasWork: boolean }): number | undefined {
    const willSave = hasWork && (this.#isAutomatic() || this.#isRequested)
    const at = this.#wait?.until ?? (mustRead ? this.#clock.now() : this.#due?.at)
    return at !== undefined && (mustRead || willSave) ? Math.max(0, at - this.#clock.now()) : undefined
  }
}
