import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { DaybookError, validationErrorAt } from '../../errors.ts'
import { type Log, SILENT } from '../../log.ts'
import { SingleFlight } from '../../single-flight.ts'
import { withTimeout } from '../../with-timeout.ts'
import { type BlobContent, type BlobStore, IMAGE_VARIANTS_PREFIX } from '../blob-store.ts'
import {
  DEFAULT_IMAGE_RULES,
  type ImageRequest,
  type ImageRules,
  negotiateFormat,
  requireAllowedImage,
} from './image-request.ts'
import { type ImageProcessor, NO_SHARP } from './processor/image-processor.ts'
import type { FocalPoint, ImageDescription, ImageFormat, ImageTransformation } from './processor/job.ts'

/** An asset from which pictures are made. */
export interface ImageSource {
  readonly id: string
  /** The digest of its bytes, in hexadecimal digits. */
  readonly sha256: string
  /** Its key in the store. */
  readonly path: string
  readonly mimeType: string
  /** In pixels, as it is shown; `undefined` if unknown. */
  readonly width?: number
  readonly focal?: FocalPoint
}

/** A picture that can be made from an asset, with the headers of its response. */
export interface ImageVariant {
  /** Its key in the store. */
  readonly key: string
  /** A strong entity tag (RFC 9110, section 8.8.3): the same source and parameters give the same bytes. */
  readonly etag: string
  /** Its media type. */
  readonly type: string
  /** True if the format depends on `Accept`, so that the response needs `Vary`. */
  readonly variesByAccept: boolean
  readonly source: ImageSource
  readonly transformation: ImageTransformation
}

/** Options of {@link ImageVariants}. */
export interface ImageVariantsOptions {
  blobs(): Promise<BlobStore>
  /** `undefined` if `sharp` is not installed. */
  readonly processor: ImageProcessor | undefined
  /** The timeout of a description, for which an upload waits, in milliseconds. @default 30_000 */
  readonly describeMs?: number
  /** @default DEFAULT_IMAGE_RULES */
  readonly rules?: ImageRules
  readonly log?: Log
}

interface VariantRead {
  readonly key: string
  readonly result: Promise<BlobContent>
}

/** The media types from which pictures can be made. */
const SOURCE_TYPES: ReadonlySet<string> = new Set([
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

/** Pictures made from assets. Each is made once, and stored under the digest of its source. */
export class ImageVariants {
  readonly #blobs: () => Promise<BlobStore>
  readonly #processor: ImageProcessor | undefined
  /** The rules for requests without a signature. */
  readonly rules: ImageRules
  readonly #describeMs: number
  readonly #log: Log
  /** The pictures that are being made, by key. */
  readonly #making: SingleFlight<Uint8Array> = new SingleFlight<Uint8Array>()
  /** The reads that have not ended. */
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
   * Chooses the picture for a request, without reading files.
   *
   * @param accept the header of the request
   * @throws VALIDATION_ERROR if the rules do not allow the request, or the asset is no picture; NOT_IMPLEMENTED without `sharp`
   */
  plan(source: ImageSource, request: ImageRequest, accept: string | undefined): ImageVariant {
    if (!this.#processor) throw new DaybookError('NOT_IMPLEMENTED', NO_SHARP)
    requireAllowedImage(source.id, request, this.rules)
    if (!SOURCE_TYPES.has(source.mimeType))
      throw validationErrorAt('id', 'image', `must be the id of an image, but the asset is ${source.mimeType}`, {
        type: source.mimeType,
      })
    const { format = 'auto' } = request
    const negotiated = format === 'auto' ? negotiateFormat(accept, source.mimeType) : format
    const transformation = transformationFor(request, negotiated, source, Math.max(...this.rules.widths))
    const key = `${IMAGE_VARIANTS_PREFIX}${source.sha256}/${nameFor(transformation)}`
    const etag = `"${createHash('sha256').update(key).digest('base64url').slice(0, 27)}"`
    return { key, etag, type: `image/${negotiated}`, variesByAccept: format === 'auto', source, transformation }
  }

  /**
   * Describes a picture in the store. Returns `undefined` if it cannot be read, or not in time.
   *
   * @param path its key in the store
   */
  async describe(path: string, mimeType: string): Promise<ImageDescription | undefined> {
    const processor = this.#processor
    if (!processor || !SOURCE_TYPES.has(mimeType)) return undefined
    try {
      return await withTimeout(this.#describeMs, () => processor.describe(() => this.#open(path)))
    } catch (error) {
      this.#log.warn({ err: error }, 'An image has no placeholder.')
      return undefined
    }
  }

  /**
   * Reads a picture from the store, and makes it first if necessary. Concurrent reads of the same picture share the work.
   *
   * @throws NOT_FOUND if the source no longer exists; VALIDATION_ERROR if it cannot be read; SERVICE_UNAVAILABLE if too many pictures
   * wait
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
    const { key } = variant
    const stored = await (await this.#blobs()).read(key)
    if (stored) return stored
    const bytes = await this.#making.run(key, () => this.#make(variant))
    return { size: bytes.length, content: Readable.from([Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)]) }
  }

  /** Deletes the pictures of a source whose bytes no asset has any more. */
  async deleteVariants(sha256: string): Promise<void> {
    const prefix = `${IMAGE_VARIANTS_PREFIX}${sha256}/`
    const reads = [...this.#reads].filter(({ key }) => key.startsWith(prefix))
    await Promise.allSettled(reads.map(({ result }) => result))
    const blobs = await this.#blobs()
    for await (const { key } of blobs.list(prefix)) await blobs.delete(key)
  }

  async #make({ key, type, source, transformation }: ImageVariant): Promise<Uint8Array> {
    if (!this.#processor) throw new DaybookError('NOT_IMPLEMENTED', NO_SHARP)
    const { bytes } = await this.#processor.transform(() => this.#open(source.path), transformation)
    try {
      await (await this.#blobs()).write(key, bytes, { type, disposition: 'inline' })
    } catch (error) {
      // This request still gets the picture, and the next one makes it again.
      this.#log.warn({ err: error }, 'An image could not be stored.')
    }
    return bytes
  }

  async #open(path: string): Promise<Readable> {
    const stored = await (await this.#blobs()).read(path)
    if (!stored) throw new DaybookError('NOT_FOUND')
    return stored.content
  }
}

/**
 * Normalizes a request, so that equal pictures have equal transformations.
 *
 * @param widest the width for a request without one
 */
function transformationFor(
  { w, h, fit = 'cover', q }: ImageRequest,
  format: ImageFormat,
  { width: sourceWidth = Number.POSITIVE_INFINITY, focal }: ImageSource,
  widest: number,
): ImageTransformation {
  const quality = format === 'png' ? FORMATS.png.quality : (q ?? FORMATS[format].quality)
  if (h === undefined) return { width: Math.min(w ?? widest, sourceWidth), fit: 'inside', format, quality }
  if (w === undefined) return { height: h, fit: 'inside', format, quality }
  const crop = fit === 'cover' && focal ? { focal: { x: roundShare(focal.x), y: roundShare(focal.y) } } : {}
  return { width: w, height: h, fit, format, quality, ...crop }
}

const roundShare = (share: number): number => Math.round(share * 100) / 100

/** Returns the name of a picture, unique among those of its source. */
function nameFor({ width, height, fit, format, quality, focal }: ImageTransformation): string {
  const parts = [
    ...(width === undefined ? [] : [`w${width}`]),
    ...(height === undefined ? [] : [`h${height}`]),
    fit,
    ...(focal ? [`f${focal.x}-${focal.y}`] : []),
    `q${quality}`,
  ]
  return `${parts.join('_')}.${FORMATS[format].ending}`
}
