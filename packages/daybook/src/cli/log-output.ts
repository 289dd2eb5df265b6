import { write, writeSync } from 'node:fs'
import { pino } from 'pino'
import type { RequestLine } from '../log.ts'

/** The time for which the line of a request waits for others, in milliseconds. */
const WAIT_MS = 100
/** The number of waiting lines at which they are written at once. */
const MAX_WAITING_LINES = 256
/** The maximum size of an atomic write to a pipe, in bytes (POSIX, `PIPE_BUF` of Linux), so that lines of several processes do not mix. */
const PIECE_BYTES = 4096
/** The maximum size of a write if no other process writes, in bytes: the capacity of an empty pipe. */
const OWN_PIECE_BYTES = 65_536
/** The default limit of buffered lines, in bytes, for a slow reader or a full disk. Above it, lines are dropped. */
const DEFAULT_WAITING_BYTES = 16 * 2 ** 20

/** The options of a {@link LogOutput}. */
export interface LogOutputOptions {
  /** The descriptor of the file, pipe or terminal. */
  readonly fd: number
  readonly base: object
  /** True if other processes write to it, too. */
  readonly isShared: boolean
  /** The limit of buffered lines, in bytes. @default 16 MiB */
  readonly waitingBytes?: number
}

/** The waiting lines of requests, at most {@link MAX_WAITING_LINES}, by field: objects would live so long that collecting them doubles the cost. */
class WaitingLines {
  readonly #times = new Float64Array(MAX_WAITING_LINES)
  readonly #durations = new Float64Array(MAX_WAITING_LINES)
  readonly #statuses = new Uint16Array(MAX_WAITING_LINES)
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

  /** Formats the waiting lines like pino, in pieces of whole lines, and removes them. */
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
      const text = `${head}${time}",${common}${this.#formatFields(n)},"msg":"request"}\n`
      if (piece.length + text.length > pieceBytes) {
        if (piece !== '') yield piece
        piece = ''
      }
      piece += text
    }
    yield piece
  }

  #formatFields(n: number): string {
    const names = `"requestId":${JSON.stringify(this.#ids[n])},"method":${JSON.stringify(this.#methods[n])}`
    return `${names},"url":${JSON.stringify(this.#urls[n])},"status":${this.#statuses[n]},"ms":${this.#durations[n]}`
  }
}

/** The time after which a write to a full pipe is retried, in milliseconds. */
const RETRY_MS = 100
/** The maximum number of retries at the exit of the process, which they block. */
const LAST_TRIES = 10

const countLines = (text: string): number => text.split('\n').length - 1

const hasNoRoom = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EAGAIN'

/**
 * The output of a log, for pino: it writes lines at once, but lines of requests in batches, since writing them one by one takes a
 * quarter of the processor time of a small request. The service never waits for it: it buffers lines up to a limit, and logs how many were
 * dropped. Buffered lines are written when the process exits, unless it is killed.
 *
 * `sonic-boom`, the default of pino, buffers without a limit or drops lines silently, and keeps a process alive whose log is on a full disk.
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
  #droppedLines = 0

  constructor({ fd, base, isShared, waitingBytes = DEFAULT_WAITING_BYTES }: LogOutputOptions) {
    this.#fd = fd
    this.#base = base
    this.#pieceBytes = isShared ? PIECE_BYTES : OWN_PIECE_BYTES
    this.#waitingBytes = waitingBytes
    process.once('exit', () => this.#end())
  }

  /** Writes lines at once, after the waiting ones. */
  write(lines: string): void {
    this.#flushRequests()
    this.#enqueue(lines)
  }

  /** Writes the line of a request within {@link WAIT_MS}, together with others. */
  writeRequest(line: RequestLine): void {
    this.#requests.add(line)
    if (this.#requests.count >= MAX_WAITING_LINES) this.#flushRequests()
    else this.#timer ??= setTimeout(() => this.#handleTimer(), WAIT_MS)
  }

  #handleTimer(): void {
    this.#timer = undefined
    this.#flushRequests()
  }

  #flushRequests(): void {
    if (this.#requests.count === 0) return
    for (const piece of this.#requests.take(this.#base, this.#pieceBytes)) this.#enqueue(piece)
  }

  #enqueue(piece: string): void {
    if (this.#queuedLength + piece.length > this.#waitingBytes) {
      this.#droppedLines += countLines(piece)
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

  /** Drops lines. A full disk or a closed pipe must not stop the service. */
  #fail(bytes: Buffer): void {
    this.#droppedLines += countLines(bytes.toString())
    this.#writeNext()
  }

  #succeed(): void {
    if (this.#droppedLines > 0 && this.#queue.length === 0) this.#logDropped()
    this.#writeNext()
  }

  #logDropped(): void {
    const lines = this.#droppedLines
    this.#droppedLines = 0
    const time = new Date().toISOString()
    const msg = 'log: lines are missing here, because they could not be written'
    const text = `${JSON.stringify({ level: pino.levels.values.warn, time, ...this.#base, lines, msg })}\n`
    this.#queue.push(text)
    this.#queuedLength += text.length
  }

  /** Writes the buffered lines synchronously. The system completes the current write. */
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
