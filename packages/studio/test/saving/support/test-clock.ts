import type { Clock } from '../../../src/app/editor/saving/save-schedule.ts'

/** A clock that stands still until a test moves it. */
export class TestClock implements Clock {
  #now = Date.UTC(2026, 10, 20)
  readonly #timers = new Set<{ readonly at: number; readonly call: () => void }>()

  now(): number {
    return this.#now
  }

  after(ms: number, call: () => void): () => void {
    const timer = { at: this.#now + ms, call }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  /** Advances the time, and calls the timers due by then, in order. */
  advance(ms: number): void {
    const until = this.#now + ms
    for (let next = this.#first(); next && next.at <= until; next = this.#first()) {
      this.#timers.delete(next)
      this.#now = Math.max(this.#now, next.at)
      next.call()
    }
    this.#now = until
  }

  /** Advances to the next timer. @returns false if there is none */
  advanceToNext(): boolean {
    const next = this.#first()
    if (next) this.advance(Math.max(0, next.at - this.#now))
    return next !== undefined
  }

  #first(): { readonly at: number; readonly call: () => void } | undefined {
    return [...this.#timers].sort((a, b) => a.at - b.at)[0]
  }
}
