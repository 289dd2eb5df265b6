import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import type { Readable } from 'node:stream'
import pLimit from 'p-limit'
import { DaybookError, validationErrorAt } from '../../../errors.ts'
import { type Log, SILENT } from '../../../log.ts'
import { ImageError, ImageProcess } from './image-process.ts'
import type { ImageDescription, ImageJob, ImageResults, ImageTransformation, TransformedImage } from './job.ts'

/** Options of an {@link ImageProcessor}. */
export interface ImageProcessorOptions {
  /** The maximum number of pixels of a picture. @default 100_000_000 */
  readonly maxPixels?: number
  /** The maximum number of processes, each of which works on one picture. @default half of the processors, at least 1 */
  readonly atOnce?: number
  /** The maximum number of pictures that wait for a process. @default 100 */
  readonly maxWaiting?: number
  /** The timeout of a picture, in milliseconds. @default 30_000 */
  readonly timeMs?: number
  /** The time after which a process without a picture ends, in milliseconds. @default 30_000 */
  readonly idleMs?: number
  /** The file from which `sharp` is resolved. @default this one */
  readonly resolveFrom?: string
  readonly log?: Log
}

/** Opens the bytes of a picture as soon as a process is free. */
export type OpenContent = () => Promise<Readable>

/** Returns the path of `sharp`, or `undefined` if it is not installed. */
function findSharp(from: string): string | undefined {
  try {
    return createRequire(from).resolve('sharp')
  } catch {
    return undefined
  }
}

/** Creates a processor that uses `sharp`, or returns `undefined` if `sharp` is not installed. */
export function openImageProcessor(options: ImageProcessorOptions = {}): ImageProcessor | undefined {
  const sharp = findSharp(options.resolveFrom ?? import.meta.url)
  return sharp === undefined ? undefined : new ImageProcessor(sharp, options)
}

/** Makes pictures in a bounded number of processes. */
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
      maxWaiting: 100,
      timeMs: 30_000,
      idleMs: 30_000,
      resolveFrom: '',
      log: SILENT,
      ...options,
    }
    this.#turns = pLimit(this.#options.atOnce)
  }

  /**
   * Describes a picture. Returns `undefined` if it cannot be read.
   *
   * @throws SERVICE_UNAVAILABLE if too many pictures wait
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
   * @throws VALIDATION_ERROR if it cannot be read; SERVICE_UNAVAILABLE if too many pictures wait; NOT_IMPLEMENTED if `sharp` cannot be
   * loaded
   */
  async transform(open: OpenContent, transformation: ImageTransformation): Promise<TransformedImage> {
    try {
      return await this.#run({ kind: 'transform', transformation, ...this.#bounds() }, open)
    } catch (error) {
      if (error instanceof ImageError) throw toDaybookError(error)
      throw error
    }
  }

  /** Ends all processes. Their jobs fail. */
  close(): void {
    this.#isClosed = true
    for (const process of this.#all) this.#end(process)
  }

  #bounds(): { readonly maxPixels: number; readonly seconds: number } {
    const { maxPixels, timeMs } = this.#options
    return { maxPixels, seconds: Math.ceil(timeMs / 1000) }
  }

  async #run<Job extends ImageJob>(job: Job, open: OpenContent): Promise<ImageResults[Job['kind']]> {
    const { atOnce, maxWaiting } = this.#options
    const isFull = this.#turns.activeCount + this.#turns.pendingCount >= atOnce + maxWaiting
    if (isFull) throw unavailable('Too many images are waiting to be processed.')
    return this.#turns(async () => {
      const content = await open()
      const process = this.#acquire()
      try {
        return await process.run(job, content, this.#options.timeMs)
      } catch (error) {
        this.#report(error)
        throw this.#isClosed ? unavailable('The service is shutting down.') : error
      } finally {
        this.#release(process)
      }
    })
  }

  #report(error: unknown): void {
    if (!(error instanceof ImageError) || error.failure === 'unreadable' || this.#isClosed) return
    const message = error.failure === 'died' ? 'An image ended its process.' : 'The package sharp cannot be loaded.'
    this.#options.log.warn({ reason: error.message }, message)
  }

  #acquire(): ImageProcess {
    if (this.#isClosed) throw unavailable('The service is shutting down.')
    const [[idle, timer] = []] = this.#idle
    if (idle) {
      clearTimeout(timer)
      this.#idle.delete(idle)
      if (!idle.hasEnded) return idle
      this.#all.delete(idle)
      return this.#acquire()
    }
    const started = new ImageProcess(this.#sharp)
    this.#all.add(started)
    return started
  }

  #release(process: ImageProcess): void {
    if (process.hasEnded || this.#isClosed) this.#end(process)
    else this.#idle.set(process, setTimeout(() => this.#end(process), this.#options.idleMs).unref())
  }

  #end(process: ImageProcess): void {
    clearTimeout(this.#idle.get(process))
    this.#idle.delete(process)
    this.#all.delete(process)
    process.kill()
  }
}

const unavailable = (message: string): DaybookError => new DaybookError('SERVICE_UNAVAILABLE', message)

function toDaybookError({ failure, message }: ImageError): DaybookError {
  if (failure === 'unavailable') return new DaybookError('NOT_IMPLEMENTED', NO_SHARP, {}, message)
  return validationErrorAt(
    'id',
    'image',
    'must be the id of an image that can be read within the limits of pixels and time',
  )
}

/** The message for clients if pictures cannot be made. */
export const NO_SHARP = 'This service cannot convert images. Install the package sharp next to Daybook.'
