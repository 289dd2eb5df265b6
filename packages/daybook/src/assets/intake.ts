import { createHash } from 'node:crypto'
import { pipeline, Readable, Transform, type TransformCallback } from 'node:stream'
import { DaybookError, validationErrorAt } from '../errors.ts'
import type { BlobStore } from './blob-store.ts'
import { cleanOriginalName } from './file-names.ts'
import { limitFrames } from './images/frame-limit.ts'
import type { ImageSize } from './images/image-size.ts'
import { stripLocation } from './images/strip-location/strip-location.ts'
import { detectMediaType, matchesMediaRange, SIGNATURE_BYTES } from './media-type.ts'

/** The most frames of an animation. */
const MAX_FRAMES = 10_000

/** Which files are taken in, and where they go. */
export interface IntakeOptions {
  /** Whether images keep where they were taken. */
  readonly keepsPosition: boolean
  /** The largest file, in bytes. */
  readonly maxBytes: number
  /** The most pixels of an image. */
  readonly maxPixels: number
  /** The media types that are taken; `undefined`: all. */
  readonly accept: readonly string[] | undefined
  blobs(): Promise<BlobStore>
  /** A new name for what is staged. */
  createStagedName(): string
}

/** A file that is staged, and what is known of it. */
export interface StagedFile {
  /** Its name among what is staged. */
  readonly stagedName: string
  readonly originalName: string
  /** What the bytes are. */
  readonly mimeType: string
  /** In bytes. */
  readonly size: number
  /** The digest of the bytes, in hex. */
  readonly sha256: string
  readonly image: ImageSize | undefined
}

/** Takes files in: one pass over the bytes finds out what they are, and stages them. */
export class Intake {
  readonly #options: IntakeOptions

  constructor(options: IntakeOptions) {
    this.#options = options
  }

  /** The largest file, in bytes. */
  get maxBytes(): number {
    return this.#options.maxBytes
  }

  /**
   * Stages a file. When that fails, or the signal aborts, nothing of it is left.
   *
   * @throws VALIDATION_ERROR, UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, SERVICE_UNAVAILABLE, INSUFFICIENT_STORAGE
   */
  async stage(source: Readable, givenName: string, signal: AbortSignal): Promise<StagedFile> {
    const { accept, keepsPosition, maxPixels } = this.#options
    const originalName = cleanOriginalName(givenName)
    const beginning = new Beginning(source)
    const mimeType = await detectMediaType(await beginning.read(SIGNATURE_BYTES), originalName)
    if (accept && !matchesMediaRange(mimeType, accept)) throw notAccepted(mimeType, accept)
    const image = mimeType.startsWith('image/') ? await readSize(beginning, mimeType, maxPixels) : undefined
    const meter = new Meter(this.maxBytes)
    const strip = keepsPosition ? undefined : stripLocation(mimeType)
    const frames = limitFrames(mimeType, MAX_FRAMES)
    const steps = [beginning.whole(), strip, frames, meter].filter((step) => step !== undefined)
    // What breaks one of them reaches the store as an error of the last.
    pipeline(steps, () => {})
    const staged = this.#options.createStagedName()
    const blobs = await this.#options.blobs()
    try {
      await blobs.stage(staged, meter, signal)
    } catch (error) {
      throw meter.fault ?? error
    }
    return { stagedName: staged, originalName, mimeType, size: meter.size, sha256: meter.digest(), image }
  }

  /** Throws a staged file away, if it is still there. */
  async discard(staged: string): Promise<void> {
    await (await this.#options.blobs()).discard(staged)
  }
}

/** Counts and digests what passes, up to a limit. */
class Meter extends Transform {
  size = 0
  /** Why it stopped. */
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

  /** In hex. */
  digest(): string {
    return this.#hash.digest('hex')
  }
}

/** @throws VALIDATION_ERROR when it has more pixels than are allowed */
async function readSize(beginning: Beginning, type: string, maxPixels: number): Promise<ImageSize | undefined> {
  // The first image loads the library, which a start does not need.
  const { IMAGE_HEAD_BYTES, readImageSize } = await import('./images/image-size.ts')
  return readImageSize(await beginning.read(IMAGE_HEAD_BYTES), type, maxPixels)
}

/** The beginning of a stream, which can be looked at before the whole is read. */
class Beginning {
  readonly #rest: AsyncIterator<Buffer>
  #chunks: Buffer[] = []
  #size = 0

  constructor(source: Readable) {
    this.#rest = source[Symbol.asyncIterator]()
  }

  /** The first bytes of the stream; all of them, where it has no more. */
  async read(bytes: number): Promise<Buffer> {
    while (this.#size < bytes) {
      const { done, value } = await this.#rest.next()
      if (done) break
      this.#chunks.push(value)
      this.#size += value.length
    }
    return Buffer.concat(this.#chunks).subarray(0, bytes)
  }

  /** The stream from its beginning on. */
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

/** The error of a file of more bytes than the limit. */
export const fileTooLarge = (limit: number): DaybookError =>
  new DaybookError('PAYLOAD_TOO_LARGE', `A file has at most ${limit} bytes.`, { limit })

const notAccepted = (type: string, accept: readonly string[]): DaybookError =>
  validationErrorAt('/file', 'accept', `is ${type}; only these types are taken: ${accept.join(', ')}`, {
    type,
    values: accept,
  })
