import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import type { Readable } from 'node:stream'
import pLimit from 'p-limit'
import { DaybookError, invalidAt } from '../../../errors.ts'
import { type Log, SILENT } from '../../../log.ts'
import { ImageError, ImageProcess } from './image-process.ts'
import type { ImageDescription, ImageJob, ImageResults, ImageTransformation, TransformedImage } from './job.ts'

/** The bounds of an {@link ImageProcessor}. */
export interface ImageProcessorOptions {
  /** The most pixels that a picture may have. @default 100_000_000 */
  readonly maxPixels?: number
  /** How many pictures may be processed at once, each in a process of its own. @default half of the processors, at least 1 */
  readonly atOnce?: number
  /** How many pictures may wait for their turn. @default 100 */
  readonly waiting?: number
  /** How long one picture may take, in milliseconds. @default 30_000 */
  readonly timeMs?: number
  /** How long a process waits for the next picture before it ends, in milliseconds. @default 30_000 */
  readonly idleMs?: number
  /** The file from which `sharp` is looked up. @default this one */
  readonly lookUpFrom?: string
  readonly log?: Log
}

/** Opens the bytes of a picture, once it is its turn. */
export type OpenContent = () => Promise<Readable>

/** Where sharp is installed, seen from a file; `undefined`: it is not. */
function findSharp(from: string): string | undefined {
  try {
    return createRequire(from).resolve('sharp')
  } catch {
    return undefined
  }
}

/** Makes pictures with `sharp`, in processes of their own; `undefined` when `sharp` is not installed. */
export function openImageProcessor(options: ImageProcessorOptions = {}): ImageProcessor | undefined {
  const sharp = findSharp(options.lookUpFrom ?? import.meta.url)
  return sharp === undefined ? undefined : new ImageProcessor(sharp, options)
}

/** Makes pictures, at most so many at once. */
export class ImageProcessor {
  readonly #sharp: string
  readonly #options: Required<ImageProcessorOptions>
  readonly #turns: ReturnType<typeof pLimit>
  readonly #all: Set<ImageProcess> = new Set<ImageProcess>()
  /** Processes without a job, each with the timer that ends it. */
  readonly #idle: Map<ImageProcess, NodeJS.Timeout> = new Map<ImageProcess, NodeJS.Timeout>()
  #isClosed = false

  constructor(sharp: string, options: ImageProcessorOptions) {
    this.#sharp = sharp
    this.#options = {
      maxPixels: 100_000_000,
      atOnce: Math.max(1, Math.floor(availableParallelism() / 2)),
      waiting: 100,
      timeMs: 30_000,
      idleMs: 30_000,
      lookUpFrom: '',
      log: SILENT,
      ...options,
    }
    this.#turns = pLimit(this.#options.atOnce)
  }

  /**
   * Reads what a picture is like; `undefined` when nothing can be made of it.
   *
   * @throws SERVICE_UNAVAILABLE when too many pictures wait
   */
  async describe(open: OpenContent): Promise<ImageDescription | undefined> {
    try {
      return await this.#run({ kind: 'describe', ...this.#bounds() }, open)
    } catch (error) {
      if (error instanceof ImageError) return undefined
      throw error
    }
  }

  /**
   * Makes a picture from another.
   *
   * @throws VALIDATION_ERROR when nothing can be made of it; SERVICE_UNAVAILABLE when too many pictures wait; NOT_IMPLEMENTED when
   * `sharp` cannot be loaded
   */
  async transform(open: OpenContent, transformation: ImageTransformation): Promise<TransformedImage> {
    try {
      return await this.#run({ kind: 'transform', transformation, ...this.#bounds() }, open)
    } catch (error) {
      if (error instanceof ImageError) throw refusal(error)
      throw error
    }
  }

  /** Ends all processes; what they work on fails. */
  close(): void {
    this.#isClosed = true
    for (const one of this.#all) this.#end(one)
  }

  #bounds(): { readonly maxPixels: number; readonly seconds: number } {
    const { maxPixels, timeMs } = this.#options
    return { maxPixels, seconds: Math.ceil(timeMs / 1000) }
  }

  async #run<Job extends ImageJob>(job: Job, open: OpenContent): Promise<ImageResults[Job['kind']]> {
    const { atOnce, waiting } = this.#options
    const isFull = this.#turns.activeCount + this.#turns.pendingCount >= atOnce + waiting
    if (isFull) throw unavailable('Too many pictures wait to be processed.')
    return this.#turns(async () => {
      const content = await open()
      const lent = this.#lend()
      try {
        return await lent.run(job, content, this.#options.timeMs)
      } catch (error) {
        this.#report(error)
        throw this.#isClosed ? unavailable('The service is ending.') : error
      } finally {
        this.#takeBack(lent)
      }
    })
  }

  #report(error: unknown): void {
    if (!(error instanceof ImageError) || error.failure === 'unreadable' || this.#isClosed) return
    const what = error.failure === 'died' ? 'A picture ended its process.' : 'The package sharp cannot be loaded.'
    this.#options.log.warn({ reason: error.message }, what)
  }

  #lend(): ImageProcess {
    if (this.#isClosed) throw unavailable('The service is ending.')
    const [[idle, timer] = []] = this.#idle
    if (idle) {
      clearTimeout(timer)
      this.#idle.delete(idle)
      if (!idle.hasEnded) return idle
      this.#all.delete(idle)
      return this.#lend()
    }
    const started = new ImageProcess(this.#sharp)
    this.#all.add(started)
    return started
  }

  #takeBack(one: ImageProcess): void {
    if (one.hasEnded || this.#isClosed) this.#end(one)
    else this.#idle.set(one, setTimeout(() => this.#end(one), this.#options.idleMs).unref())
  }

  #end(one: ImageProcess): void {
    clearTimeout(this.#idle.get(one))
    this.#idle.delete(one)
    this.#all.delete(one)
    one.kill()
  }
}

const unavailable = (message: string): DaybookError => new DaybookError('SERVICE_UNAVAILABLE', message)

function refusal({ failure, message }: ImageError): DaybookError {
  if (failure === 'unavailable') return new DaybookError('NOT_IMPLEMENTED', noSharp(), {}, message)
  return invalidAt('id', 'image', 'must be a picture that can be read, within the bounds for its pixels and time')
}

/** What a client is told when pictures cannot be made. */
export function noSharp(): string {
  return 'This service makes no pictures; install the package sharp beside Daybook.'
}
