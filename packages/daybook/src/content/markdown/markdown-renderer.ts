import type { MarkdownConfig } from '../../config/config.ts'
import { DaybookError } from '../../errors.ts'
import { resolveSiblingModule, TaskAborted, ThreadPool } from '../../threads/thread-pool.ts'
import type { RenderMarkdown } from './markdown.ts'

/** The default time limit of one text, in milliseconds. */
export const DEFAULT_RENDER_MS = 10_000
/** The maximum length of texts that are rendered in place, which saves the round trip to a thread. */
const MAX_INLINE_LENGTH = 4096
const THREAD_IDLE_MS = 10_000
/** The default maximum number of threads. */
const MAX_THREADS = 2
/** The memory limit of a thread, in MiB. */
const MAX_HEAP_MIB = 256
/** The young generation of a thread, in MiB. With occasional renders, more would only hold garbage. */
const YOUNG_HEAP_MIB = 8

/** Returns true for short texts without tables, which render within some hundredths of a second in any case. */
const rendersQuickly = (source: string): boolean => source.length <= MAX_INLINE_LENGTH && !source.includes('|')

/** The error of a text that could not be rendered within the limits. */
export class RenderError extends Error {
  override readonly name = 'RenderError'
}

export interface RendererOptions {
  /** The time limit of one text, in milliseconds. @default 10,000 */
  readonly renderMs?: number | undefined
  /** The maximum number of threads. @default 2 */
  readonly renderThreads?: number | undefined
  /** The number of texts that a thread accepts at once. @default 1 */
  readonly renderDepth?: number | undefined
}

/**
 * Renders Markdown in threads with limits on time and memory, because inputs of a few kilobytes can take minutes. A thread that
 * exceeds a limit is terminated, and the text is rejected.
 */
export class MarkdownRenderer {
  readonly #config: MarkdownConfig | undefined
  readonly #renderMs: number
  readonly #pool: ThreadPool<string, string>
  #inline: Promise<RenderMarkdown> | undefined

  /** @param config the allowed HTML in addition to GitHub's */
  constructor(config?: MarkdownConfig, options: RendererOptions = {}) {
    this.#config = config
    this.#renderMs = options.renderMs ?? DEFAULT_RENDER_MS
    this.#pool = new ThreadPool({
      module: resolveSiblingModule(import.meta.url, 'markdown-worker'),
      worker: {
        workerData: { config },
        resourceLimits: {
          maxOldGenerationSizeMb: MAX_HEAP_MIB,
          maxYoungGenerationSizeMb: YOUNG_HEAP_MIB,
        },
      },
      threads: options.renderThreads ?? MAX_THREADS,
      tasksPerThread: options.renderDepth ?? 1,
      taskTimeoutMs: this.#renderMs,
      idleMs: THREAD_IDLE_MS,
    })
  }

  /** @throws {RenderError} if the text takes too long or too much memory; SERVICE_UNAVAILABLE after {@link close} */
  async render(source: string): Promise<string> {
    if (rendersQuickly(source)) return this.renderHere(source)
    try {
      return await this.#pool.run(source)
    } catch (error) {
      throw this.#refusal(error)
    }
  }

  /** Renders a text on this thread without limits, for short texts and for texts of the config during start. */
  async renderHere(source: string): Promise<string> {
    // Loaded on demand, for a faster start.
    this.#inline ??= import('./markdown.ts').then(({ createRenderMarkdown }) => createRenderMarkdown(this.#config))
    return (await this.#inline)(source)
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }

  #refusal(error: unknown): Error {
    if (!(error instanceof TaskAborted)) return new RenderError(`could not be rendered: ${(error as Error).message}`)
    if (error.reason === 'overrun') return new RenderError(`took longer than ${this.#renderMs} ms to render`)
    if (error.reason === 'died') return new RenderError('needed too much memory to render')
    return new DaybookError('SERVICE_UNAVAILABLE', 'The service is shutting down.', {}, error)
  }
}
