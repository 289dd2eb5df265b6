import { write, writeSync } from 'node:fs'
import { pino } from 'pino'
import type { RequestLine } from '../log.ts'

/** How long the line of a request waits for others, in milliseconds. */
const WAIT_MS = 100
/** So many lines of requests are written without waiting for more. */
const ENOUGH_LINES = 256
/** What several processes write to one pipe in pieces of this size does not mix, in bytes (POSIX, `PIPE_BUF` of Linux). */
const PIECE_BYTES = 4096
/** The largest piece where no other process writes, in bytes: what an empty pipe takes at once. */
const OWN_PIECE_BYTES = 65_536
/** How much waits for a reader that has fallen behind, or for room on a disk, before lines are left out, in bytes. */
const DEFAULT_WAITING_BYTES = 16 * 2 ** 20

/** Where and how a log is written. */
export interface LogOutputOptions {
  /** The open file, pipe or terminal. */
  readonly fd: number
  /** What each line says besides what happened. */
  readonly base: object
  /** Whether other processes write to it as well. */
  readonly isShared: boolean
  /** How much may wait to be written, in bytes. @default 16 MiB */
  readonly waitingBytes?: number
}

/** Lines of requests that wait, at most {@link ENOUGH_LINES}, field by field: objects would live so long that collecting them costs as much again. */
class WaitingLines {
  readonly #times = new Float64Array(ENOUGH_LINES)
  readonly #durations = new Float64Array(ENOUGH_LINES)
  readonly #statuses = new Uint16Array(ENOUGH_LINES)
  readonly #ids: string[] = []
  readonly #methods: string[] = []
  readonly #urls: string[] = []
  #count = 0

  get count(): number {
    return this.#count
  }

  add({ requestId, method, url, status, ms }: RequestLine): void {
    const n = this.#count
    this.#times[n] = Date.now()
    this.#durations[n] = ms
    this.#statuses[n] = status
    this.#ids[n] = requestId
    this.#methods[n] = method
    this.#urls[n] = url
    this.#count += 1
  }

  /** The lines as pino writes them, in pieces that hold whole lines; then none waits. */
  *take(base: object, pieceBytes: number): Iterable<string> {
    const head = `{"level":${pino.levels.values.info},"time":"`
    const common = Object.keys(base).length > 0 ? `${JSON.stringify(base).slice(1, -1)},` : ''
    const count = this.#count
    this.#count = 0
    let piece = ''
    let lastAt = Number.NaN
    let time = ''
    for (let n = 0; n < count; n++) {
      const at = this.#times[n] ?? 0
      if (at !== lastAt) time = new Date(at).toISOString()
      lastAt = at
      const text = `${head}${time}",${common}${this.#fieldsOf(n)},"msg":"request"}\n`
      if (piece.length + text.length > pieceBytes) {
        if (piece !== '') yield piece
        piece = ''
      }
      piece += text
    }
    yield piece
  }

  #fieldsOf(n: number): string {
    const names = `"requestId":${JSON.stringify(this.#ids[n])},"method":${JSON.stringify(this.#methods[n])}`
    return `${names},"url":${JSON.stringify(this.#urls[n])},"status":${this.#statuses[n]},"ms":${this.#durations[n]}`
  }
}

/** When a pipe without room is tried again, in milliseconds. */
const RETRY_MS = 100
/** How often it is tried again at the end of the process, where nothing else happens meanwhile. */
const LAST_TRIES = 10

const countLines = (text: string): number => text.split('\n').length - 1

const hasNoRoom = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EAGAIN'

/**
 * The output of a log, for pino: writes lines at once, and lines of requests many at a time. Written one by one, those take a quarter
 * of the processor time of a small request. The service never waits for it: what cannot be written is held within a bound, and how much
 * was left out is told. What is there when the process ends is written, unless the process is killed.
 *
 * It is ours because `sonic-boom`, pino's own, holds without a bound or leaves out in silence, and never ends a process whose log is on
 * a full disk.
 */
export class LogOutput {
  readonly #fd: number
  readonly #base: object
  readonly #pieceBytes: number
  readonly #waitingBytes: number
  readonly #queue: string[] = []
  #queuedLength = 0
  #isWriting = false
  readonly #requests = new WaitingLines()
  #timer: NodeJS.Timeout | undefined
  #leftOut = 0

  constructor({ fd, base, isShared, waitingBytes = DEFAULT_WAITING_BYTES }: LogOutputOptions) {
    this.#fd = fd
    this.#base = base
    this.#pieceBytes = isShared ? PIECE_BYTES : OWN_PIECE_BYTES
    this.#waitingBytes = waitingBytes
    process.once('exit', () => this.#end())
  }

  /** Writes lines at once, after those that wait. */
  write(lines: string): void {
    this.#flushRequests()
    this.#enqueue(lines)
  }

  /** Writes the line of a request, soon and together with others. */
  writeRequest(line: RequestLine): void {
    this.#requests.add(line)
    if (this.#requests.count >= ENOUGH_LINES) this.#flushRequests()
    else this.#timer ??= setTimeout(() => this.#timeOver(), WAIT_MS)
  }

  #timeOver(): void {
    this.#timer = undefined
    this.#flushRequests()
  }

  #flushRequests(): void {
    if (this.#requests.count === 0) return
    for (const piece of this.#requests.take(this.#base, this.#pieceBytes)) this.#enqueue(piece)
  }

  #enqueue(piece: string): void {
    if (this.#queuedLength + piece.length > this.#waitingBytes) {
      this.#leftOut += countLines(piece)
      return
    }
    this.#queue.push(piece)
    this.#queuedLength += piece.length
    if (!this.#isWriting) this.#writeNext()
  }

  #writeNext(): void {
    const piece = this.#queue.shift()
    this.#isWriting = piece !== undefined
    if (piece === undefined) return
    this.#queuedLength -= piece.length
    this.#writePiece(Buffer.from(piece))
  }

  #writePiece(bytes: Buffer): void {
    write(this.#fd, bytes, (error, written) => {
      if (error && hasNoRoom(error)) setTimeout(() => this.#writePiece(bytes), RETRY_MS)
      else if (error) this.#fail(bytes)
      else if (written < bytes.length) this.#writePiece(bytes.subarray(written))
      else this.#succeed()
    })
  }

  /** A full disk ends no service, and neither does a reader that has gone. */
  #fail(bytes: Buffer): void {
    this.#leftOut += countLines(bytes.toString())
    this.#writeNext()
  }

  #succeed(): void {
    if (this.#leftOut > 0 && this.#queue.length === 0) this.#tellLeftOut()
    this.#writeNext()
  }

  #tellLeftOut(): void {
    const lines = this.#leftOut
    this.#leftOut = 0
    const time = new Date().toISOString()
    const msg = 'log: lines are missing here, because they could not be written'
    const text = `${JSON.stringify({ level: pino.levels.values.warn, time, ...this.#base, lines, msg })}\n`
    this.#queue.push(text)
    this.#queuedLength += text.length
  }

  /** Writes what is left. What is being written is in the hands of the system. */
  #end(): void {
    this.#isWriting = true
    this.#flushRequests()
    let bytes = Buffer.from(this.#queue.splice(0).join(''))
    let tries = 0
    while (bytes.length > 0 && tries < LAST_TRIES) {
      try {
        bytes = bytes.subarray(writeSync(this.#fd, bytes))
      } catch (error) {
        if (!hasNoRoom(error)) return
        tries += 1
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
      }
    }
  }
}
