import { DaybookError } from '../errors.ts'
import { TaskGivenUp } from '../threads/thread.ts'
import { moduleBeside, ThreadPool } from '../threads/thread-pool.ts'

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

/**
 * Renders Markdown off the event loop, with a bound on time and memory: Markdown has inputs of a few
 * kilobytes that take minutes. A worker that overruns is ended, and the text is refused.
 */
export class MarkdownRenderer {
  readonly #timeoutMs: number
  readonly #pool: ThreadPool<string, string>
  #inline: Promise<typeof import('./markdown.ts')> | undefined

  /**
   * @param timeoutMs how long one text may take, in milliseconds
   * @param maxWorkers how many texts render at once; each takes memory of its own
   */
  constructor(timeoutMs: number = DEFAULT_RENDER_MS, maxWorkers: number = MAX_WORKERS) {
    this.#timeoutMs = timeoutMs
    this.#pool = new ThreadPool({
      module: moduleBeside(import.meta.url, 'markdown-worker'),
      worker: {
        resourceLimits: { maxOldGenerationSizeMb: MAX_WORKER_HEAP, maxYoungGenerationSizeMb: YOUNG_WORKER_HEAP },
      },
      threads: maxWorkers,
      taskMs: timeoutMs,
      idleMs: IDLE_MS,
    })
  }

  /** @throws {RenderError} when the text takes too long or too much memory; SERVICE_UNAVAILABLE after {@link close} */
  async render(source: string): Promise<string> {
    if (isQuick(source)) {
      // Loaded when first needed, which keeps the start short.
      this.#inline ??= import('./markdown.ts')
      return (await this.#inline).renderMarkdown(source)
    }
    try {
      return await this.#pool.run(source)
    } catch (error) {
      throw this.#refusal(error)
    }
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }

  #refusal(error: unknown): Error {
    if (!(error instanceof TaskGivenUp)) return new RenderError(`could not be rendered: ${(error as Error).message}`)
    if (error.reason === 'overrun') return new RenderError(`took longer than ${this.#timeoutMs} ms to render`)
    if (error.reason === 'died') return new RenderError('needed too much memory to render')
    return new DaybookError('SERVICE_UNAVAILABLE', 'The service ends.', {}, error)
  }
}
