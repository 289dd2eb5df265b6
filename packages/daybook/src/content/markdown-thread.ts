import { Worker } from 'node:worker_threads'
import type { HtmlAllowance } from '../config/config.ts'
import type { RenderAnswer } from './markdown-worker.ts'

/** A thread that needs more memory than this is ended, in MiB. */
const MAX_HEAP = 256
/** The most characters that wait in a thread behind the text that it renders. */
const MAX_WAITING_LENGTH = 1_000_000

/** A text could not be rendered within the bounds. */
export class RenderError extends Error {
  override readonly name = 'RenderError'
}

/** A text that is to be rendered, and who waits for it. */
export interface RenderJob {
  readonly source: string
  readonly resolve: (html: string) => void
  readonly reject: (error: Error) => void
}

/** What a thread may take, and who hears of it. */
export interface ThreadOptions {
  readonly allowHtml: HtmlAllowance | undefined
  /** How long one text may take, in milliseconds. */
  readonly renderMs: number
  /** How many texts it has at once: it renders one, and need not wait for the next. */
  readonly depth: number
  /** Room for what it soon throws away, in MiB. */
  readonly youngHeap: number
  /** Called when it has room for another text. */
  onRoom(): void
  /** Called when it has ended; what it had not begun is for others. */
  onEnd(left: readonly RenderJob[]): void
}

/** Renders texts one after the other, off the event loop. A text that takes too long or too much ends it. */
export class MarkdownThread {
  readonly #options: ThreadOptions
  readonly #worker: Worker
  /** The first one is being rendered. */
  #jobs: RenderJob[] = []
  #waitingLength = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: ThreadOptions) {
    this.#options = options
    const { allowHtml, youngHeap } = options
    const file = import.meta.url.endsWith('.ts') ? './markdown-worker.ts' : './markdown-worker.js'
    this.#worker = new Worker(new URL(file, import.meta.url), {
      workerData: { allowHtml },
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP, maxYoungGenerationSizeMb: youngHeap },
    })
    this.#worker.on('message', (answer: RenderAnswer) => this.#settle(answer))
    this.#worker.once('error', () => this.#fail('needed too much memory to render'))
  }

  get isIdle(): boolean {
    return this.#jobs.length === 0
  }

  /** Whether it takes this text now. */
  hasRoomFor({ source }: RenderJob): boolean {
    if (this.isIdle) return true
    return this.#jobs.length < this.#options.depth && this.#waitingLength + source.length <= MAX_WAITING_LENGTH
  }

  add(job: RenderJob): void {
    this.#jobs.push(job)
    if (this.#jobs.length > 1) this.#waitingLength += job.source.length
    else this.#begin()
    this.#worker.postMessage(job.source)
  }

  async end(): Promise<void> {
    clearTimeout(this.#timer)
    this.#worker.removeAllListeners()
    this.#worker.on('error', () => {})
    await this.#worker.terminate()
  }

  /** Its first text is being rendered from now on. */
  #begin(): void {
    const { renderMs } = this.#options
    this.#worker.ref()
    this.#timer = setTimeout(() => this.#fail(`took longer than ${renderMs} ms to render`), renderMs)
  }

  #settle(answer: RenderAnswer): void {
    clearTimeout(this.#timer)
    const job = this.#jobs.shift()
    const [next] = this.#jobs
    if (next) {
      this.#waitingLength -= next.source.length
      this.#begin()
    } else this.#worker.unref()
    if ('html' in answer) job?.resolve(answer.html)
    else job?.reject(new RenderError(`could not be rendered: ${answer.error}`))
    this.#options.onRoom()
  }

  #fail(reason: string): void {
    const [job, ...left] = this.#jobs
    this.#jobs = []
    void this.end().then(() => this.#options.onEnd(left))
    job?.reject(new RenderError(reason))
  }
}
