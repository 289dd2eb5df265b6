import { createHash } from 'node:crypto'
import { pipeline, Readable, Transform, type TransformCallback } from 'node:stream'
import { DaybookError, validationErrorAt } from '../errors.ts'
import type { BlobStore } from './blob-store.ts'
import { cleanOriginalName } from './file-names.ts'
import { limitFrames } from './images/frame-limit.ts'
import type { ImageSize } from './images/image-size.ts'
import { stripLocation } from './images/strip-location/strip-location.ts'
import { detectMediaType, matchesMediaRange, SIGNATURE_BYTES } from './media-type.ts'

/** The maximum number of frames of an animation. */
const MAX_FRAMES = 10_000

/** Options of an {@link Intake}. */
export interface IntakeOptions {
  /** True if images lose their location. */
  readonly stripsLocation: boolean
  /** The maximum size of a file, in bytes. */
  readonly maxBytes: number
  readonly maxPixels: number
  /** The accepted media types; all if `undefined`. */
  readonly accept: readonly string[] | undefined
  blobs(): Promise<BlobStore>
  /** Creates the name of a staged file. */
  createStagedName(): string
}

export interface StagedFile {
  readonly stagedName: string
  readonly originalName: string
  /** The media type of the bytes. */
  readonly mimeType: string
  /** In bytes. */
  readonly size: number
  /** The digest of the bytes, in hex. */
  readonly sha256: string
  readonly image: ImageSize | undefined
}

/** Receives files. One pass over the bytes detects their type, checks them and stages them. */
export class Intake {
  readonly #options: IntakeOptions

  constructor(options: IntakeOptions) {
    this.#options = options
  }

  /** The maximum size of a file, in bytes. */
  get maxBytes(): number {
    return this.#options.maxBytes
  }

  /**
   * Stages a file. If that fails or the signal aborts, nothing of it is left.
   *
   * @throws VALIDATION_ERROR, UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, SERVICE_UNAVAILABLE, INSUFFICIENT_STORAGE
   */
  async stage(source: Readable, fileName: string, signal: AbortSignal): Promise<StagedFile> {
    const { accept, stripsLocation, maxPixels } = this.#options
    const originalName = cleanOriginalName(fileName)
    const beginning = new Beginning(source)
    const mimeType = await detectMediaType(await beginning.read(SIGNATURE_BYTES), originalName)
    if (accept && !matchesMediaRange(mimeType, accept)) throw notAccepted(mimeType, accept)
    const image = mimeType.startsWith('image/') ? await measureImage(beginning, mimeType, maxPixels) : undefined
    const meter = new Meter(this.maxBytes)
    const strip = stripsLocation ? stripLocation(mimeType) : undefined
    const frames = limitFrames(mimeType, MAX_FRAMES)
    const steps = [beginning.whole(), strip, frames, meter].filter((step) => step !== undefined)
    // The failure of any step reaches the store as an error of the last one.
    pipeline(steps, () => {})
    const stagedName = this.#options.createStagedName()
    const blobs = await this.#options.blobs()
    try {
      await blobs.stage(stagedName, meter, signal)
    } catch (error) {
      throw meter.fault ?? error
    }
    return { stagedName, originalName, mimeType, size: meter.size, sha256: meter.digest(), image }
  }

  async discard(stagedName: string): Promise<void> {
    await (await this.#options.blobs()).discard(stagedName)
  }
}

/** Counts and digests the bytes that pass, up to a limit. */
class Meter extends Transform {
  size = 0
  /** The error if the limit was exceeded. */
  fault: DaybookError | undefined
  readonly #limit: number
  readonly #hash = createHash('sha256')

  constructor(limit: number) {
    super()
    this.#limit = limit
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    this.size += chunk.length
    if (this.size > this.#limit) {
      this.fault = fileTooLarge(this.#limit)
      done(this.fault)
    } else {
      this.#hash.update(chunk)
      done(null, chunk)
    }
  }

  digest(): string {
    return this.#hash.digest('hex')
  }
}

/** @throws VALIDATION_ERROR if the image has too many pixels */
async function measureImage(beginning: Beginning, type: string, maxPixels: number): Promise<ImageSize | undefined> {
  // Loaded with the first image, to keep the start fast.
  const { IMAGE_HEAD_BYTES, readImageSize } = await import('./images/image-size.ts')
  return readImageSize(await beginning.read(IMAGE_HEAD_BYTES), type, maxPixels)
}

/** The beginning of a stream, which can be read before the whole stream. */
class Beginning {
  readonly #rest: AsyncIterator<Buffer>
  #chunks: Buffer[] = []
  #size = 0

  constructor(source: Readable) {
    this.#rest = source[Symbol.asyncIterator]()
  }

  /** Returns the first bytes of the stream, or all if there are fewer. */
  async read(bytes: number): Promise<Buffer> {
    while (this.#size < bytes) {
      const { done, value } = await this.#rest.next()
      if (done) break
      this.#chunks.push(value)
      this.#size += value.length
    }
    return Buffer.concat(this.#chunks).subarray(0, bytes)
  }

  /** Returns the whole stream. */
  whole(): Readable {
    const [chunks, rest] = [this.#chunks, this.#rest]
    this.#chunks = []
    const all = async function* (): AsyncGenerator<Buffer> {
      for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) yield chunk
      yield* { [Symbol.asyncIterator]: () => rest }
    }
    return Readable.from(all(), { objectMode: false })
  }
}

export const fileTooLarge = (limit: number): DaybookError =>
  new DaybookError('PAYLOAD_TOO_LARGE', `The file must be at most ${limit} bytes long.`, { limit })

const notAccepted = (type: string, accept: readonly string[]): DaybookError =>
  validationErrorAt(
    '/file',
    'accept',
    `has the type ${type}, which is not accepted. Send one of: ${accept.join(', ')}.`,
    {
      type,
      values: accept,
    },
  )
