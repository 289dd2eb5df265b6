/** The time between two plain lines of progress, in milliseconds. */
const LINE_EVERY_MS = 5000
/** The shortest time between two drawings of the bar, in milliseconds. */
const DRAW_EVERY_MS = 100
const BAR_WIDTH = 30
const CLEAR_LINE = '\r\u001B[K'

/** The stream for progress: standard error. */
export interface ProgressStream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

export interface ProgressCount {
  /** A plural, such as `files`. */
  readonly unit: string
  readonly total: number
  /** The amount that an earlier run has done. @default 0 */
  readonly done?: number
}

/** Shows the progress of a run: with a bar on a terminal, with occasional lines elsewhere. */
export class Progress implements Disposable {
  readonly #count: ProgressCount
  readonly #stream: ProgressStream
  readonly #startedAt = performance.now()
  #shownAt = 0
  #shownTenth: number

  constructor(count: ProgressCount, stream: ProgressStream = process.stderr) {
    this.#count = count
    this.#stream = stream
    this.#shownTenth = this.#getTenth(count.done ?? 0)
  }

  /** @param failed the part of `done` that failed */
  update(done: number, failed = 0): void {
    const elapsed = performance.now() - this.#startedAt
    if (this.#stream.isTTY) {
      if (elapsed - this.#shownAt >= DRAW_EVERY_MS) this.#draw(done, failed, elapsed)
      return
    }
    const tenth = this.#getTenth(done)
    const isDue = elapsed - this.#shownAt >= LINE_EVERY_MS || tenth > this.#shownTenth
    if (!isDue || done === this.#count.total) return
    this.#stream.write(`${this.#describe(done, failed, elapsed)}\n`)
    this.#shownAt = elapsed
    this.#shownTenth = tenth
  }

  /** Writes a line, above the bar if there is one. */
  say(line: string): void {
    this.#stream.write(`${this.#stream.isTTY ? CLEAR_LINE : ''}${toPrintable(line)}\n`)
  }

  /** Removes the bar. */
  [Symbol.dispose](): void {
    if (this.#stream.isTTY) this.#stream.write(CLEAR_LINE)
  }

  #draw(done: number, failed: number, elapsed: number): void {
    this.#shownAt = elapsed
    const filled = Math.round((done / this.#count.total) * BAR_WIDTH)
    const bar = `[${'='.repeat(filled)}${' '.repeat(BAR_WIDTH - filled)}]`
    const line = `${bar} ${this.#describe(done, failed, elapsed)}`
    this.#stream.write(CLEAR_LINE + line.slice(0, (this.#stream.columns ?? 80) - 1))
  }

  #getTenth(done: number): number {
    return Math.floor((done / this.#count.total) * 10)
  }

  #describe(done: number, failed: number, elapsed: number): string {
    const { unit, total, done: doneBefore = 0 } = this.#count
    const rate = Math.round((done - doneBefore) / Math.max(elapsed / 1000, 0.001))
    return `${done}/${total} ${unit}, ${rate}/s${failed > 0 ? `, ${failed} failed` : ''}`
  }
}

/** Replaces control characters, which file names and values may contain, and which steer a terminal. */
export function toPrintable(text: string): string {
  return text.replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]+/gu, ' ')
}

export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_cell, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  const format = (row: readonly string[]): string => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')
  return rows.map((row) => `${format(row).trimEnd()}\n`).join('')
}

/** Formats a count: `1 entry`, `2 entries`. */
export const formatCount = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`

/** Prints a notice to standard error, since standard output is for results. */
export function printNotice(line: string): void {
  process.stderr.write(`${line}\n`)
}

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`)
}
