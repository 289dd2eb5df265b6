import { Transform, type TransformCallback } from 'node:stream'

/** What a walk wants next of the bytes that pass. */
export type Step =
  /** The next bytes, in a copy that may be changed until the next step: fewer than `hold` where the stream ends before. */
  | { readonly hold: number }
  /** That many bytes pass, also `Infinity`; `edit` may change them, a piece at a time. */
  | { readonly pass: number; readonly edit?: (piece: Buffer) => void }
  /** All bytes before the next one of this value pass. */
  | { readonly passBefore: number }

/** Follows the structure of a file from its first byte, one step at a time. What is left when it returns passes unchanged. */
export type Walk = Generator<Step, void, Buffer>

const NOTHING: Buffer = Buffer.alloc(0)

/** Sends a stream of bytes past a {@link Walk}. It holds back no more than the largest step of the walk. */
export class WalkedBytes extends Transform {
  readonly #walk: Walk
  #step: Step = { hold: 0 }
  /** How many bytes of the step have passed. */
  #passed = 0
  /** What a `hold` waits with. */
  #waiting: Buffer[] = []
  #held = 0
  /** What may go on, sent together: many steps are a few bytes long. */
  #ready: Buffer[] = []

  constructor(walk: Walk) {
    super()
    this.#walk = walk
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      let rest = chunk
      while (rest.length > 0) rest = rest.subarray(this.#take(rest))
      this.#send()
      done()
    } catch (error) {
      done(error as Error)
    }
  }

  override _flush(done: TransformCallback): void {
    try {
      if (this.#held > 0) this.#release()
      this.#send()
      done()
    } catch (error) {
      done(error as Error)
    }
  }

  /** Serves the step with what there is, and returns how many bytes that took. */
  #take(bytes: Buffer): number {
    if ('hold' in this.#step) return this.#hold(bytes, this.#step.hold)
    return 'pass' in this.#step ? this.#pass(bytes, this.#step) : this.#passBefore(bytes, this.#step.passBefore)
  }

  #hold(bytes: Buffer, wanted: number): number {
    const taken = bytes.subarray(0, wanted - this.#held)
    this.#waiting.push(taken)
    this.#held += taken.length
    if (this.#held >= wanted) this.#release()
    return taken.length
  }

  #pass(bytes: Buffer, step: Extract<Step, { pass: number }>): number {
    const taken = bytes.subarray(0, step.pass - this.#passed)
    const piece = step.edit ? Buffer.from(taken) : taken
    step.edit?.(piece)
    this.#ready.push(piece)
    this.#passed += taken.length
    if (this.#passed >= step.pass) this.#next(NOTHING)
    return taken.length
  }

  #passBefore(bytes: Buffer, value: number): number {
    const at = bytes.indexOf(value)
    const taken = at < 0 ? bytes : bytes.subarray(0, at)
    this.#ready.push(taken)
    if (at >= 0) this.#next(NOTHING)
    return taken.length
  }

  /** Shows the walk what was held back, and lets it go once the walk has taken its next step. */
  #release(): void {
    const held = Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#held = 0
    this.#next(held)
    this.#ready.push(held)
  }

  #send(): void {
    const pieces = this.#ready
    this.#ready = []
    const bytes = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)
    if (bytes && bytes.length > 0) this.push(bytes)
  }

  #next(bytes: Buffer): void {
    const { done, value } = this.#walk.next(bytes)
    this.#step = done ? { pass: Number.POSITIVE_INFINITY } : value
    this.#passed = 0
  }
}
