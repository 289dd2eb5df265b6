import { Worker } from 'node:worker_threads'
import type { HtmlAllowance } from '../config/config.ts'
import type { RenderMarkdown } from './markdown.ts'
import type { RenderAnswer } from './markdown-worker.ts'

/** How long one text may take, where the config does not say, in milliseconds. */
export const DEFAULT_RENDER_MS = 10_000
/** Texts up to this length are rendered in place, which saves the way to a worker and back. */
const INLINE_LENGTH = 4096
/** Workers without work end after this time, in milliseconds. */
const IDLE_MS = 10_000
/** The most texts that render at once, where nobody says. */
const MAX_WORKERS = 2
/** A worker that needs more memory than this is ended, in MiB. */
const MAX_WORKER_HEAP = 256
/** Room for what a worker soon throws away, in MiB: with more of it a worker only holds more garbage. */
const YOUNG_WORKER_HEAP = 8

/** Without a table, no text of this length takes more than some hundredths of a second, however it is made. */
const isQuick = (source: string): boolean => source.length <= INLINE_LENGTH && !source.includes('|')

/** A text could not be rendered within the bounds. */
export class RenderError extends Error {
  override readonly name = 'RenderError'
}

/** How texts are rendered, where it is not as usual. */
export interface RendererOptions {
  /** How long one text may take, in milliseconds. @default 10,000 */
  readonly renderMs?: number | undefined
  /** How many texts render at once; each takes memory of its own. @default 2 */
  readonly workers?: number | undefined
  /** What raw HTML may hold besides GitHub's allow-list. @default nothing */
  readonly allowHtml?: HtmlAllowance | undefined
}

interface Job {
  readonly source: string
  readonly resolve: (html: string) => void
  readonly reject: (error: Error) => void
}

/**
 * Renders Markdown off the event loop, with a bound on time and memory: Markdown has inputs of a few
 * kilobytes that take minutes. A worker that overruns is ended, and the text is refused.
 */
export class MarkdownRenderer {
  readonly #timeoutMs: number
  readonly #maxWorkers: number
  readonly #idle: Worker[] = []
  readonly #waiting: Job[] = []
  #workers = 0
  readonly #allowHtml: HtmlAllowance | undefined
  #inline: Promise<RenderMarkdown> | undefined

  constructor({ renderMs = DEFAULT_RENDER_MS, workers = MAX_WORKERS, allowHtml }: RendererOptions = {}) {
    this.#timeoutMs = renderMs
    this.#maxWorkers = workers
    this.#allowHtml = allowHtml
  }

  /** @throws {RenderError} when the text takes too long or too much memory */
  async render(source: string): Promise<string> {
    if (isQuick(source)) {
      // Loaded when first needed, which keeps the start short.
      this.#inline ??= import('./markdown.ts').then(({ markdownRenderer }) => markdownRenderer(this.#allowHtml))
      return (await this.#inline)(source)
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ source, resolve, reject })
      this.#next()
    })
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((worker) => worker.terminate()))
  }

  #next(): void {
    if (this.#waiting.length === 0) return
    const worker = this.#idle.pop() ?? (this.#workers < this.#maxWorkers ? this.#start() : undefined)
    const job = worker && this.#waiting.shift()
    if (worker && job) this.#run(worker, job)
  }

  #start(): Worker {
    this.#workers += 1
    const file = import.meta.url.endsWith('.ts') ? './markdown-worker.ts' : './markdown-worker.js'
    const worker = new Worker(new URL(file, import.meta.url), {
      workerData: { allowHtml: this.#allowHtml },
      resourceLimits: { maxOldGenerationSizeMb: MAX_WORKER_HEAP, maxYoungGenerationSizeMb: YOUNG_WORKER_HEAP },
    })
    worker.once('exit', () => {
      this.#workers -= 1
    })
    return worker
  }

  #run(worker: Worker, { source, resolve, reject }: Job): void {
    const timer = setTimeout(
      () => fail(new RenderError(`took longer than ${this.#timeoutMs} ms to render`)),
      this.#timeoutMs,
    )
    const settle = (): void => {
      clearTimeout(timer)
      worker.removeAllListeners('message')
      worker.removeAllListeners('error')
    }
    const fail = (error: Error): void => {
      settle()
      worker.on('error', () => {})
      void worker.terminate().then(() => this.#next())
      reject(error)
    }
    worker.once('error', () => fail(new RenderError('needed too much memory to render')))
    worker.once('message', (answer: RenderAnswer) => {
      settle()
      if ('html' in answer) resolve(answer.html)
      else reject(new RenderError(`could not be rendered: ${answer.error}`))
      this.#rest(worker)
    })
    worker.ref()
    worker.postMessage(source)
  }

  /** Gives a worker its next text, or lets it go after a while. */
  #rest(worker: Worker): void {
    this.#idle.push(worker)
    worker.unref()
    this.#next()
    const timer = setTimeout(() => {
      const index = this.#idle.indexOf(worker)
      if (index < 0) return
      this.#idle.splice(index, 1)
      void worker.terminate()
    }, IDLE_MS)
    timer.unref()
  }
}
