import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { bounded } from '../../bounded.ts'
import { DaybookError, invalidAt } from '../../errors.ts'
import { type Log, SILENT } from '../../log.ts'
import { type BlobContent, type BlobStore, IMAGES } from '../blob-store.ts'
import { acceptedFormat } from './accepted-format.ts'
import { DEFAULT_IMAGE_RULES, type ImageRequest, type ImageRules, requireAllowedImage } from './image-request.ts'
import { type ImageProcessor, noSharp } from './processor/image-processor.ts'
import type { FocalPoint, ImageDescription, ImageFormat, ImageTransformation } from './processor/job.ts'
import { SingleFlight } from './single-flight.ts'

/** The asset of a picture. */
export interface ImageSource {
  readonly id: string
  /** The digest of its bytes, in hexadecimal digits. */
  readonly sha256: string
  /** Its key in the store. */
  readonly path: string
  readonly mimeType: string
  /** In pixels, as it is shown, where that is known. */
  readonly width?: number
  readonly focal?: FocalPoint
}

/** A picture that can be made of another, and what an answer says of it before it is made. */
export interface ImageVariant {
  /** Its key in the store. */
  readonly key: string
  /** A strong entity tag (RFC 9110, section 8.8.3): the same source and parameters give the same bytes. */
  readonly etag: string
  /** Its media type. */
  readonly type: string
  /** Whether the format depends on `Accept`, which `Vary` then says. */
  readonly variesByAccept: boolean
  readonly source: ImageSource
  readonly transformation: ImageTransformation
}

/** What {@link ImageVariants} work with. */
export interface ImageVariantsOptions {
  /** Opens the store of the files. */
  blobs(): Promise<BlobStore>
  /** `undefined`: `sharp` is not installed. */
  readonly processor: ImageProcessor | undefined
  /** How long a description is waited for, in milliseconds: an upload waits as well. @default 30_000 */
  readonly describeMs?: number
  /** @default DEFAULT_IMAGE_RULES */
  readonly rules?: ImageRules
  readonly log?: Log
}

interface VariantRead {
  readonly key: string
  readonly result: Promise<BlobContent>
}

/** The types of which pictures are made. */
const SOURCES: ReadonlySet<string> = new Set([
  'image/jpeg',
  'image/png',
  'image/apng',
  'image/webp',
  'image/gif',
  'image/tiff',
  'image/avif',
  'image/heic',
  'image/heif',
])

const FORMATS: Readonly<Record<ImageFormat, { readonly ending: string; readonly quality: number }>> = {
  avif: { ending: 'avif', quality: 50 },
  webp: { ending: 'webp', quality: 75 },
  jpeg: { ending: 'jpg', quality: 80 },
  png: { ending: 'png', quality: 100 },
}

/** Pictures made of others, each made once and kept in the store under the digest of its source. */
export class ImageVariants {
  readonly #blobs: () => Promise<BlobStore>
  readonly #processor: ImageProcessor | undefined
  /** Which pictures anyone may have made. */
  readonly rules: ImageRules
  readonly #describeMs: number
  readonly #log: Log
  readonly #flights: SingleFlight<Uint8Array> = new SingleFlight<Uint8Array>()
  /** What is being read or made. */
  readonly #reads: Set<VariantRead> = new Set<VariantRead>()

  constructor({
    blobs,
    processor,
    describeMs = 30_000,
    rules = DEFAULT_IMAGE_RULES,
    log = SILENT,
  }: ImageVariantsOptions) {
    this.#blobs = blobs
    this.#processor = processor
    this.#describeMs = describeMs
    this.rules = rules
    this.#log = log
  }

  /**
   * Decides which picture a request asks for, without reading anything.
   *
   * @param accept the header of the request
   * @throws VALIDATION_ERROR when the rules do not allow it, or the asset is no picture; NOT_IMPLEMENTED without `sharp`
   */
  plan(source: ImageSource, request: ImageRequest, accept: string | undefined): ImageVariant {
    if (!this.#processor) throw new DaybookError('NOT_IMPLEMENTED', noSharp())
    requireAllowedImage(source.id, request, this.rules)
    if (!SOURCES.has(source.mimeType))
      throw invalidAt('id', 'image', `must be of a picture, but is of ${source.mimeType}`, { type: source.mimeType })
    const { format = 'auto' } = request
    const made = format === 'auto' ? acceptedFormat(accept, source.mimeType) : format
    const transformation = transformationFor(request, made, source, Math.max(...this.rules.widths))
    const key = `${IMAGES}${source.sha256}/${nameOf(transformation)}`
    const etag = `"${createHash('sha256').update(key).digest('base64url').slice(0, 27)}"`
    return { key, etag, type: `image/${made}`, variesByAccept: format === 'auto', source, transformation }
  }

  /**
   * Describes a picture in the store; `undefined` when nothing can be made of it, or not in time.
   *
   * @param path its key in the store
   */
  async describe(path: string, mimeType: string): Promise<ImageDescription | undefined> {
    const processor = this.#processor
    if (!processor || !SOURCES.has(mimeType)) return undefined
    try {
      return await bounded(this.#describeMs, () => processor.describe(() => this.#open(path)))
    } catch (error) {
      this.#log.warn({ err: error }, 'A picture has no placeholder.')
      return undefined
    }
  }

  /**
   * Reads a picture, and makes it first when it is not there. All that ask for the same one meanwhile wait for the same work.
   *
   * @throws NOT_FOUND when the source has gone; VALIDATION_ERROR when nothing can be made of it; SERVICE_UNAVAILABLE when too many
   * pictures wait
   */
  async read(variant: ImageVariant): Promise<BlobContent> {
    const read = { key: variant.key, result: this.#readOrMake(variant) }
    this.#reads.add(read)
    try {
      return await read.result
    } finally {
      this.#reads.delete(read)
    }
  }

  async #readOrMake(variant: ImageVariant): Promise<BlobContent> {
    const found = await (await this.#blobs()).read(variant.key)
    if (found) return found
    const bytes = await this.#flights.run(variant.key, () => this.#make(variant))
    return { size: bytes.length, content: Readable.from([Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)]) }
  }

  /** Removes the pictures made of a source, once no asset has its bytes. */
  async forget(sha256: string): Promise<void> {
    const prefix = `${IMAGES}${sha256}/`
    const reads = [...this.#reads].filter(({ key }) => key.startsWith(prefix))
    await Promise.allSettled(reads.map(({ result }) => result))
    const blobs = await this.#blobs()
    for await (const { key } of blobs.list(prefix)) await blobs.delete(key)
  }

  async #make({ key, type, source, transformation }: ImageVariant): Promise<Uint8Array> {
    if (!this.#processor) throw new DaybookError('NOT_IMPLEMENTED', noSharp())
    const { bytes } = await this.#processor.transform(() => this.#open(source.path), transformation)
    try {
      await (await this.#blobs()).write(key, bytes, { type, disposition: 'inline' })
    } catch (error) {
      // The picture is there all the same; the next request makes it again.
      this.#log.warn({ err: error }, 'A picture could not be stored.')
    }
    return bytes
  }

  async #open(path: string): Promise<Readable> {
    const found = await (await this.#blobs()).read(path)
    if (!found) throw new DaybookError('NOT_FOUND')
    return found.content
  }
}

/**
 * Says the same of all requests that ask for the same picture.
 *
 * @param widest the width of a picture for which none is given
 */
function transformationFor(
  { w, h, fit = 'cover', q }: ImageRequest,
  format: ImageFormat,
  { width: own = Number.POSITIVE_INFINITY, focal }: ImageSource,
  widest: number,
): ImageTransformation {
  const quality = format === 'png' ? FORMATS.png.quality : (q ?? FORMATS[format].quality)
  if (h === undefined) return { width: Math.min(w ?? widest, own), fit: 'inside', format, quality }
  if (w === undefined) return { height: h, fit: 'inside', format, quality }
  const kept = fit === 'cover' && focal ? { focal: { x: rounded(focal.x), y: rounded(focal.y) } } : {}
  return { width: w, height: h, fit, format, quality, ...kept }
}

const rounded = (part: number): number => Math.round(part * 100) / 100

/** The name of a picture among those of its source: its parameters. */
function nameOf({ width, height, fit, format, quality, focal }: ImageTransformation): string {
  const parts = [
    ...(width === undefined ? [] : [`w${width}`]),
    ...(height === undefined ? [] : [`h${height}`]),
    fit,
    ...(focal ? [`f${focal.x}-${focal.y}`] : []),
    `q${quality}`,
  ]
  return `${parts.join('_')}.${FORMATS[format].ending}`
}
