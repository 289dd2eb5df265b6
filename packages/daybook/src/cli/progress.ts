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

/** The count of a run. */
export interface ProgressCount {
  /** In the plural, such as `files`. */
  readonly unit: string
  readonly total: number
  /** How many an earlier run has done. @default 0 */
  readonly done?: number
}

/** Says how far a run is: with a bar on a terminal, with a plain line now and then elsewhere. */
export class Progress {
  readonly #counted: ProgressCount
  readonly #out: ProgressStream
  readonly #begun = performance.now()
  #shownAt = 0
  #shownTenth = 0

  constructor(counted: ProgressCount, out: ProgressStream) {
    this.#counted = counted
    this.#out = out
    this.#shownTenth = this.#tenth(counted.done ?? 0)
  }

  /** @param failed how many of those that are done */
  update(done: number, failed = 0): void {
    const elapsed = performance.now() - this.#begun
    if (this.#out.isTTY) {
      if (elapsed - this.#shownAt >= DRAW_EVERY_MS) this.#draw(done, failed, elapsed)
      return
    }
    const tenth = this.#tenth(done)
    const isDue = elapsed - this.#shownAt >= LINE_EVERY_MS || tenth > this.#shownTenth
    if (!isDue || done === this.#counted.total) return
    this.#out.write(`${this.#words(done, failed, elapsed)}\n`)
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

  #draw(done: number, failed: number, elapsed: number): void {
    this.#shownAt = elapsed
    const filled = Math.round((done / this.#counted.total) * BAR_WIDTH)
    const bar = `[${'='.repeat(filled)}${' '.repeat(BAR_WIDTH - filled)}]`
    const line = `${bar} ${this.#words(done, failed, elapsed)}`
    this.#out.write(CLEAR + line.slice(0, (this.#out.columns ?? 80) - 1))
  }

  #tenth(done: number): number {
    return Math.floor((done / this.#counted.total) * 10)
  }

  #words(done: number, failed: number, elapsed: number): string {
    const { unit, total, done: before = 0 } = this.#counted
    const rate = Math.round((done - before) / Math.max(elapsed / 1000, 0.001))
    return `${done}/${total} ${unit}, ${rate}/s${failed > 0 ? `, ${failed} failed` : ''}`
  }
}

const CLEAR = '\r\u001B[K'

/** File names and values may hold characters that steer a terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]+/gu, ' ')
}
