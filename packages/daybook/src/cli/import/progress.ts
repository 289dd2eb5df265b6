import type { Tally } from './tally.ts'

/** How long a plain line waits for the next one, in milliseconds. */
const LINE_EVERY_MS = 5000
/** The bar is drawn at most this often, in milliseconds. */
const DRAW_EVERY_MS = 100
const BAR_WIDTH = 30

/** Where progress is shown: standard error. */
export interface ProgressStream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** Says how far a run is: with a bar on a terminal, with a plain line now and then elsewhere. */
export class Progress {
  readonly #total: number
  readonly #out: ProgressStream
  readonly #begun = performance.now()
  #shownAt = 0
  #shownTenth = 0

  constructor(total: number, out: ProgressStream) {
    this.#total = total
    this.#out = out
  }

  update(tally: Tally): void {
    const elapsed = performance.now() - this.#begun
    if (this.#out.isTTY) {
      if (elapsed - this.#shownAt >= DRAW_EVERY_MS) this.#draw(tally, elapsed)
      return
    }
    const tenth = Math.floor((tally.done / this.#total) * 10)
    const isDue = elapsed - this.#shownAt >= LINE_EVERY_MS || tenth > this.#shownTenth
    if (!isDue || tally.done === this.#total) return
    this.#out.write(`${this.#words(tally, elapsed)}\n`)
    this.#shownAt = elapsed
    this.#shownTenth = tenth
  }

  /** Writes a line of its own, above the bar where there is one. */
  say(line: string): void {
    this.#out.write(`${this.#out.isTTY ? CLEAR : ''}${printable(line)}\n`)
  }

  /** Takes the bar away. */
  end(): void {
    if (this.#out.isTTY) this.#out.write(CLEAR)
  }

  #draw(tally: Tally, elapsed: number): void {
    this.#shownAt = elapsed
    const filled = Math.round((tally.done / this.#total) * BAR_WIDTH)
    const bar = `[${'='.repeat(filled)}${' '.repeat(BAR_WIDTH - filled)}]`
    const line = `${bar} ${this.#words(tally, elapsed)}`
    this.#out.write(CLEAR + line.slice(0, (this.#out.columns ?? 80) - 1))
  }

  #words(tally: Tally, elapsed: number): string {
    const { done, outcomes } = tally
    const rate = Math.round(done / Math.max(elapsed / 1000, 0.001))
    const failed = outcomes.failed > 0 ? `, ${outcomes.failed} failed` : ''
    return `${done}/${this.#total} files, ${rate}/s${failed}`
  }
}

const CLEAR = '\r\u001B[K'

/** File names and values may hold characters that steer a terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]+/gu, ' ')
}
