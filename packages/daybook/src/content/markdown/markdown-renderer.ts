import type { MarkdownConfig } from '../../config/config.ts'
import { DaybookError } from '../../errors.ts'
import { resolveSiblingModule, TaskAborted, ThreadPool } from '../../threads/thread-pool.ts'
import type { RenderMarkdown } from './markdown.ts'

/** How long one text may take, where the config does not say, in milliseconds. */
export const DEFAULT_RENDER_MS = 10_000
/** Texts up to this length are rendered in place, which saves the way to a thread and back. */
const INLINE_LENGTH = 4096
/** Threads without work end after this time, in milliseconds. */
const RENDERER_IDLE_MS = 10_000
/** The most threads by default. */
const MAX_THREADS = 2
/** A thread that needs more memory than this is ended, in MiB. */
const MAX_HEAP = 256
/** Room for what a thread soon throws away, in MiB: where a service renders now and then, more would only hold garbage. */
const RENDERER_YOUNG_HEAP = 8

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
  /** How many threads render; each takes memory of its own. @default 2 */
  readonly renderThreads?: number | undefined
  /** How many texts a thread has at once. @default 1 */
  readonly renderDepth?: number | undefined
}

/**
 * Renders Markdown off the event loop, with a bound on time and memory: Markdown has inputs of a few
 * kilobytes that take minutes. A thread that overruns is ended, and the text is refused.
 */
export class MarkdownRenderer {
  readonly #config: MarkdownConfig | undefined
  readonly #renderMs: number
  readonly #pool: ThreadPool<string, string>
  #inline: Promise<RenderMarkdown> | undefined

  /** @param config the HTML that stays besides what GitHub allows */
  constructor(config?: MarkdownConfig, options: RendererOptions = {}) {
    this.#config = config
    this.#renderMs = options.renderMs ?? DEFAULT_RENDER_MS
    this.#pool = new ThreadPool({
      module: resolveSiblingModule(import.meta.url, 'markdown-worker'),
      worker: {
        workerData: { config },
        resourceLimits: {
          maxOldGenerationSizeMb: MAX_HEAP,
          maxYoungGenerationSizeMb: RENDERER_YOUNG_HEAP,
        },
      },
      threads: options.renderThreads ?? MAX_THREADS,
      tasksPerThread: options.renderDepth ?? 1,
      taskTimeoutMs: this.#renderMs,
      idleMs: RENDERER_IDLE_MS,
    })
  }

  /** @throws {RenderError} when the text takes too long or too much memory; SERVICE_UNAVAILABLE after {@link close} */
  async render(source: string): Promise<string> {
    if (isQuick(source)) return this.renderHere(source)
    try {
      return await this.#pool.run(source)
    } catch (error) {
      throw this.#refusal(error)
    }
  }

  /** Renders a text on this thread, without a bound: for texts of the config itself, while nobody is served. */
  async renderHere(source: string): Promise<string> {
    // Loaded when first needed, which keeps the start short.
    this.#inline ??= import('./markdown.ts').then(({ createRenderMarkdown: markdownRenderer }) =>
      markdownRenderer(this.#config),
    )
    return (await this.#inline)(source)
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }

  #refusal(error: unknown): Error {
    if (!(error instanceof TaskAborted)) return new RenderError(`could not be rendered: ${(error as Error).message}`)
    if (error.reason === 'overrun') return new RenderError(`took longer than ${this.#renderMs} ms to render`)
    if (error.reason === 'died') return new RenderError('needed too much memory to render')
    return new DaybookError('SERVICE_UNAVAILABLE', 'The service ends.', {}, error)
  }
}
