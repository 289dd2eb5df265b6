import type { HtmlAllowance } from '../config/config.ts'
import type { RenderMarkdown } from './markdown.ts'
import { MarkdownThread, type RenderJob } from './markdown-thread.ts'

export { RenderError } from './markdown-thread.ts'

/** How long one text may take, where the config does not say, in milliseconds. */
export const DEFAULT_RENDER_MS = 10_000
/** Texts up to this length are rendered in place, which saves the way to a thread and back. */
const INLINE_LENGTH = 4096
/** Threads without work end after this time, in milliseconds. */
const IDLE_MS = 10_000
/** The most threads, where nobody says. */
const MAX_THREADS = 2
/** Room for what a thread soon throws away, in MiB: where a service renders now and then, more would only hold garbage. */
const YOUNG_HEAP = 8

/** Without a table, no text of this length takes more than some hundredths of a second, however it is made. */
const isQuick = (source: string): boolean => source.length <= INLINE_LENGTH && !source.includes('|')

/** How texts are rendered, where it is not as usual. */
export interface RendererOptions {
  /** How long one text may take, in milliseconds. @default 10,000 */
  readonly renderMs?: number | undefined
  /** How many threads render; each takes memory of its own. @default 2 */
  readonly renderThreads?: number | undefined
  /**
   * How many texts a thread has at once. With one, no text waits behind a slow one while another thread is idle; with
   * more, a thread goes on while nobody fetches what it has rendered. @default 1
   */
  readonly renderDepth?: number | undefined
  /** Room for what a thread soon throws away, in MiB. @default 8 */
  readonly renderYoungHeap?: number | undefined
}

/**
 * Renders Markdown off the event loop, with a bound on time and memory: Markdown has inputs of a few
 * kilobytes that take minutes. A thread that overruns is ended, and the text is refused.
 */
export class MarkdownRenderer {
  readonly #allowHtml: HtmlAllowance | undefined
  readonly #options: Required<{ [K in keyof RendererOptions]: number }>
  readonly #threads = new Set<MarkdownThread>()
  readonly #waiting: RenderJob[] = []
  #inline: Promise<RenderMarkdown> | undefined
  #sweeper: NodeJS.Timeout | undefined
  #isClosed = false

  /** @param allowHtml what raw HTML may hold besides GitHub's allow-list */
  constructor(
    allowHtml?: HtmlAllowance,
    { renderMs, renderThreads, renderDepth, renderYoungHeap }: RendererOptions = {},
  ) {
    this.#allowHtml = allowHtml
    this.#options = {
      renderMs: renderMs ?? DEFAULT_RENDER_MS,
      renderThreads: renderThreads ?? MAX_THREADS,
      renderDepth: renderDepth ?? 1,
      renderYoungHeap: renderYoungHeap ?? YOUNG_HEAP,
    }
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

  /** Threads end when they have rendered what they have. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#endIdle()
  }

  /** Hands out what waits, as long as there is room for it. */
  #next(): void {
    for (let [job] = this.#waiting; job; [job] = this.#waiting) {
      const thread = this.#threadFor(job)
      if (!thread) return
      this.#waiting.shift()
      thread.add(job)
    }
  }

  #threadFor(job: RenderJob): MarkdownThread | undefined {
    const threads = [...this.#threads]
    const idle = threads.find((thread) => thread.isIdle)
    if (idle) return idle
    if (threads.length < this.#options.renderThreads) return this.#start()
    return threads.find((thread) => thread.hasRoomFor(job))
  }

  #start(): MarkdownThread {
    const { renderMs, renderDepth: depth, renderYoungHeap: youngHeap } = this.#options
    const thread: MarkdownThread = new MarkdownThread({
      allowHtml: this.#allowHtml,
      renderMs,
      depth,
      youngHeap,
      onRoom: () => {
        this.#next()
        if (thread.isIdle) this.#sweepLater()
      },
      onEnd: (left) => {
        this.#threads.delete(thread)
        this.#waiting.unshift(...left)
        this.#next()
      },
    })
    this.#threads.add(thread)
    return thread
  }

  /** When there has been nothing to do for a while, memory is worth more than threads. */
  #sweepLater(): void {
    clearTimeout(this.#sweeper)
    this.#sweeper = setTimeout(() => void this.#endIdle(), this.#isClosed ? 0 : IDLE_MS)
    this.#sweeper.unref()
  }

  async #endIdle(): Promise<void> {
    const idle = [...this.#threads].filter((thread) => thread.isIdle)
    for (const thread of idle) this.#threads.delete(thread)
    await Promise.all(idle.map((thread) => thread.end()))
  }
}
