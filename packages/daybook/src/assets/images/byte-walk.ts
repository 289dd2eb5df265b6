import { Transform, type TransformCallback } from 'node:stream'

/** The bytes that a walk requests next. */
export type Step =
  /** The next bytes, in a copy that may be changed until the next step. There are fewer than `hold` if the stream ends. */
  | { readonly hold: number }
  /** That many bytes, which pass; `Infinity` means the rest. `edit` may change them, a piece at a time. */
  | { readonly pass: number; readonly edit?: (piece: Buffer) => void }
  /** All bytes before the next one of this value, which pass. */
  | { readonly passBefore: number }

/** Follows the structure of a file from its first byte, one step at a time. After it returns, the rest passes unchanged. */
export type Walk = Generator<Step, void, Buffer>

const NOTHING: Buffer = Buffer.alloc(0)

/** Passes a stream of bytes through a {@link Walk}. It holds back at most the largest step of the walk. */
export class WalkTransform extends Transform {
  readonly #walk: Walk
  #step: Step = { pass: 0 }
  /** The number of bytes of a `pass` that have passed. */
  #passed = 0
  /** The bytes that a `hold` has collected. */
  #waiting: Buffer[] = []
  #length = 0

  constructor(walk: Walk) {
    super()
    this.#walk = walk
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#waiting.push(chunk)
    this.#length += chunk.length
    if ('hold' in this.#step && this.#length < this.#step.hold) done()
    else this.#attempt(() => this.#takeAll(), done)
  }

  override _flush(done: TransformCallback): void {
    this.#attempt(() => this.#takeRest(), done)
  }

  #attempt(work: () => void, done: TransformCallback): void {
    try {
      work()
      done()
    } catch (error) {
      done(error as Error)
    }
  }

  /** Takes all steps for which there are enough bytes, in one copy, and pushes the bytes that the walk has passed. */
  #takeAll(): void {
    const bytes = Buffer.concat(this.#waiting)
    let at = 0
    while (at < bytes.length) {
      const end = this.#take(bytes, at)
      if (end === undefined) break
      at = end
    }
    if (at > 0) this.push(bytes.subarray(0, at))
    this.#waiting = at < bytes.length ? [bytes.subarray(at)] : []
    this.#length = bytes.length - at
  }

  /** Passes the last bytes to a walk that waits for more. */
  #takeRest(): void {
    if (this.#length === 0) return
    const bytes = Buffer.concat(this.#waiting)
    this.#next(bytes)
    this.push(bytes)
  }

  /** Takes a step from an offset on. Returns the offset of its end, or `undefined` if it needs more bytes. */
  #take(bytes: Buffer, at: number): number | undefined {
    if ('hold' in this.#step) return this.#hold(bytes, at, at + this.#step.hold)
    return 'pass' in this.#step ? this.#pass(bytes, at, this.#step) : this.#passBefore(bytes, at, this.#step.passBefore)
  }

  #hold(bytes: Buffer, at: number, end: number): number | undefined {
    if (end > bytes.length) return undefined
    this.#next(bytes.subarray(at, end))
    return end
  }

  #pass(bytes: Buffer, at: number, { pass, edit }: Extract<Step, { pass: number }>): number {
    const end = Math.min(at + pass - this.#passed, bytes.length)
    edit?.(bytes.subarray(at, end))
    this.#passed += end - at
    if (this.#passed >= pass) this.#next(NOTHING)
    return end
  }

  #passBefore(bytes: Buffer, at: number, value: number): number {
    const end = bytes.indexOf(value, at)
    if (end < 0) return bytes.length
    this.#next(NOTHING)
    return end
  }

  #next(bytes: Buffer): void {
    const { done, value } = this.#walk.next(bytes)
    this.#step = done ? { pass: Number.POSITIVE_INFINITY } : value
    this.#passed = 0
  }
}
