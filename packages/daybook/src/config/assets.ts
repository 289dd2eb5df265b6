import type { BlobStoreOption } from '../assets/blob-store.ts'
import { type Field, isRecord } from '../fields/field.ts'
import type { AssetAccess } from './access.ts'

/** The storage of files, and rules for uploads. */
export interface AssetsConfig {
  /** The store of files: `disk({ folder })`, or `s3()` of `daybook/s3`. @default disk({ folder: 'uploads' }), in the data folder */
  readonly store?: BlobStoreOption
  /** The maximum size of a file, in bytes. @default 104,857,600 */
  readonly maxBytes?: number
  /** The accepted media types of the bytes, such as `['image/*', 'application/pdf']`. @default every type */
  readonly accept?: readonly string[]
  /** True to remove the location from the EXIF, XMP and IPTC data of uploaded images. @default true @see docs/guides/files.md#remove-the-location-from-images */
  readonly stripLocation?: boolean
  /** The pictures of `GET /api/assets/:id/image`, which needs the package `sharp`. @see docs/guides/files.md#show-images-in-the-right-size */
  readonly images?: ImagesConfig
  /**
   * The number of days for which a deleted file can be restored; 0 removes its bytes at once.
   * @default 30 @see docs/guides/files.md#bring-a-deleted-file-back
   */
  readonly keepDeletedDays?: number
  /** The maximum files of each account or token: `{ files, bytes }`, either or both. @default no limit */
  readonly quota?: AssetQuota
  /** The access rules by action, like those of a collection. @default everyone reads, sessions write @see docs/concepts/access.md */
  readonly access?: AssetAccess
}

/** The allowed pictures, and limits of making them. */
export interface ImagesConfig {
  /**
   * The allowed widths in pixels, from 1 to 4,096; with a height, only squares.
   * @default [16, 32, 48, 64, 96, 128, 256, 384, 640, 750, 828, 1080, 1200, 1920, 2048, 3840]
   */
  readonly widths?: readonly number[]
  /** Further sizes, such as `['1200x630']`. @default none */
  readonly sizes?: readonly string[]
  /** The allowed values of `q`, from 1 to 100. @default [50, 75, 90] */
  readonly qualities?: readonly number[]
  /**
   * The secret of `signImage()`, at least 32 characters. Signed pictures may have any size and quality. With `undefined`, such as of an unset
   * variable, no signature is valid, and only this machine may reach the service. @default none
   */
  readonly secret?: string | undefined
  /** The maximum number of pixels of an uploaded or resized image. @default 100,000,000 */
  readonly maxPixels?: number
  /** The maximum number of pictures that are made at once, each in its own process. @default half of the processors */
  readonly atOnce?: number
  /** The timeout of making a picture, in milliseconds. @default 30,000 */
  readonly timeMs?: number
}

/** The maximum files of one account or token. */
export interface AssetQuota {
  /** The maximum number of files; more are rejected with 403. @default no limit */
  readonly files?: number
  /** The maximum total size in bytes; more is rejected with 413. @default no limit */
  readonly bytes?: number
}

export const DEFAULT_FILE_BYTES: number = 100 * 1024 * 1024

/** The default number of days for which the bytes of deleted files are kept. */
export const DEFAULT_KEEP_DELETED_DAYS = 30

export const DEFAULT_IMAGE_PIXELS = 100_000_000

/** The default timeout of making a picture, in milliseconds. */
export const DEFAULT_IMAGE_MS = 30_000

type Required = { readonly required: true }
type Optional = Record<never, never>

/** The place that a cropped image keeps, from 0, 0 (left, top) to 1, 1. */
export interface FocalPoint {
  readonly x: number
  readonly y: number
}

/** The fields of a file. */
export type AssetFields = {
  readonly filename: Field<string, Required>
  readonly originalName: Field<string, Required>
  readonly mimeType: Field<string, Required>
  readonly size: Field<number, Required>
  readonly directory: Field<string, { readonly search: false; readonly '~filled'?: true }>
  readonly path: Field<string, Required>
  readonly url: Field<string, Required & { readonly index: false }>
  readonly alt: Field<string, { readonly localized?: boolean }>
  readonly sha256: Field<string, Required>
  readonly width: Field<number, Optional>
  readonly height: Field<number, Optional>
  readonly placeholder: Field<string, { readonly index: false }>
  readonly focalPoint: Field<FocalPoint, Optional>
}

/** Returns the fault of an invalid store of files. */
export const blobStoreRule = (value: unknown): string | undefined =>
  isRecord(value) && typeof value.open === 'function'
    ? undefined
    : "must be a store, such as disk({ folder: 'uploads' })"

/** The maximum side of a picture, in pixels. */
export const MAX_IMAGE_SIDE = 4096

/** Creates the rule of a list of integers from 1 to a maximum. */
export const wholeNumbersRule =
  (maximum: number) =>
  (value: unknown): string | undefined => {
    const isValid = (item: unknown): boolean => Number.isInteger(item) && Number(item) >= 1 && Number(item) <= maximum
    const isList = Array.isArray(value) && value.length > 0 && value.every(isValid)
    return isList ? undefined : `must be a list of whole numbers from 1 to ${maximum}`
  }

/** Returns the fault of an invalid list of sizes. */
export function imageSizesRule(value: unknown): string | undefined {
  const isSide = (text: string | undefined): boolean => /^[1-9]\d*$/.test(text ?? '') && Number(text) <= MAX_IMAGE_SIDE
  const isSize = (item: unknown): boolean => {
    const [width, height, ...more] = String(item).split('x')
    return isSide(width) && isSide(height) && more.length === 0
  }
  const isList = Array.isArray(value) && value.every(isSize)
  return isList ? undefined : `must be a list of sizes of at most ${MAX_IMAGE_SIDE} pixels, such as ["1200x630"]`
}

/** Returns the fault of an invalid secret of signatures. */
export const imageSecretRule = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length >= 32 ? undefined : 'must be a secret of at least 32 characters'
