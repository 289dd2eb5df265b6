import { setImmediate as nextTurn } from 'node:timers/promises'
import { DaybookError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Snapshot } from '../../store/database.ts'
import type { ContentContext } from '../context.ts'
import { ContentExport, type ExportOptions } from './export.ts'

/** The maximum number of concurrent exports: the database cannot clean up old row versions while one is running. */
const MAX_EXPORTS = 2
/** The maximum time in which a client must read a chunk, in milliseconds. */
const STALL_MS = 30_000

export class ExportStreams {
  readonly #context: ContentContext
  readonly #log: Log
  readonly #running = new Set<RunningExport>()
  #opening = 0

  constructor(context: ContentContext, log: Log) {
    this.#context = context
    this.#log = log
  }

  /**
   * Starts an export and returns its lines as bytes, which are produced as the client reads them. The stream fails if the export is aborted.
   *
   * @throws VALIDATION_ERROR if `since` is later than the last change; SERVICE_UNAVAILABLE if too many exports are running, or the
   * database does not respond
   */
  async open(options: ExportOptions = {}): Promise<ReadableStream<Uint8Array>> {
    if (this.#isFull) await Promise.all([...this.#running].map(({ ended }) => ended))
    if (this.#isFull) {
      throw new DaybookError(
        'SERVICE_UNAVAILABLE',
        `At most ${MAX_EXPORTS} exports can run at the same time. Try again later.`,
      )
    }
    this.#opening += 1
    try {
      const snapshot = await this.#context.store.database.snapshot().catch(throwUnavailable)
      const content = await ContentExport.open(this.#context.model, snapshot, options).catch(async (error) => {
        await snapshot.close()
        throw error
      })
      const running = new RunningExport(content, snapshot, this.#log, () => this.#running.delete(running))
      this.#running.add(running)
      return running.stream
    } finally {
      this.#opening -= 1
    }
  }

  get #isFull(): boolean {
    return this.#running.size + this.#opening >= MAX_EXPORTS
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running].map((running) => running.abort(new Error('The service is shutting down.'))))
  }
}

/** Errors of snapshots describe problems at start-up; the client gets 503. */
function throwUnavailable(error: unknown): never {
  throw error instanceof DaybookError ? error : new DaybookError('SERVICE_UNAVAILABLE', undefined, {}, error)
}

class RunningExport {
  readonly stream: ReadableStream<Uint8Array>
  readonly #chunks: ReturnType<ContentExport['chunks']>
  readonly #snapshot: Snapshot
  readonly #log: Log
  readonly #onEnd: () => void
  readonly #encoder = new TextEncoder()
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #stalled: NodeJS.Timeout | undefined
  #ended: Promise<void> | undefined

  constructor(content: ContentExport, snapshot: Snapshot, log: Log, onEnd: () => void) {
    this.#chunks = content.chunks()
    this.#snapshot = snapshot
    this.#log = log
    this.#onEnd = onEnd
    // Reads nothing ahead: the HTTP connection has its own buffer.
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
          this.#watch()
        },
        pull: () => this.#send(),
        cancel: () => this.#end(),
      },
      { highWaterMark: 0 },
    )
  }

  /** Resolves when the snapshot is released; `undefined` while the export is being sent. */
  get ended(): Promise<void> | undefined {
    return this.#ended
  }

  async abort(reason: unknown): Promise<void> {
    if (this.#ended) return
    this.#controller?.error(reason)
    this.#log.error({ err: reason }, 'an export failed')
    await this.#end()
  }

  async #send(): Promise<void> {
    clearTimeout(this.#stalled)
    try {
      // SQLite is read in this thread, so other requests get a turn first.
      await nextTurn()
      const next = await this.#chunks.next()
      if (this.#ended) return
      if (next.done) {
        this.#controller?.close()
        await this.#end()
        return
      }
      this.#controller?.enqueue(this.#encoder.encode(next.value.text))
      this.#watch()
    } catch (error) {
      await this.abort(error)
    }
  }

  #watch(): void {
    const stallError = new Error(`The client did not read the export for ${STALL_MS / 1000} seconds.`)
    this.#stalled = setTimeout(() => void this.abort(stallError), STALL_MS).unref()
  }

  #end(): Promise<void> {
    clearTimeout(this.#stalled)
    // A connection that cannot be closed is broken already.
    this.#ended ??= this.#snapshot
      .close()
      .catch(() => {})
      .finally(this.#onEnd)
    return this.#ended
  }
}
