import type { BlobStoreOption } from '../assets/blob-store.ts'
import type { Field } from '../fields/field.ts'
import { isRecord } from '../fields/field.ts'
import type { AssetAccess } from './access.ts'

/** The files of a service: where they lie, and what may be uploaded. */
export interface AssetsConfig {
  /** Where files lie: `disk({ folder })`, or `s3()` of `daybook/s3`. @default disk({ folder: 'uploads' }), in the data folder */
  readonly store?: BlobStoreOption
  /** The largest file, in bytes. @default 104,857,600 */
  readonly maxBytes?: number
  /** The media types that may be uploaded, such as `['image/*', 'application/pdf']`, by what the bytes are. @default every type */
  readonly accept?: readonly string[]
  /** Leave in images where they were taken; by default, that is taken out of their EXIF and XMP data. @default false */
  readonly keepPosition?: boolean
  /** The pictures that `GET /api/assets/:id/image` makes, where the package `sharp` is installed. @see docs/files.md#show-images-in-the-right-size */
  readonly images?: ImagesConfig
  /**
   * The number of days for which the bytes of a deleted file are kept, so that it can be restored; 0 removes them at once.
   * @default 30 @see docs/files.md#bring-a-deleted-file-back
   */
  readonly keepDeletedDays?: number
  /** How much each account or token may store: `{ files, bytes }`, either or both. @default no bound */
  readonly quota?: AssetQuota
  /** The rules by action, as those of a collection. @default everyone reads, sessions write @see docs/access.md */
  readonly access?: AssetAccess
}

/** Which pictures anyone may have made of a picture, and what that may take. */
export interface ImagesConfig {
  /**
   * The widths that may be asked for, in pixels, from 1 to 4,096; with a height, only squares.
   * @default [16, 32, 48, 64, 96, 128, 256, 384, 640, 750, 828, 1080, 1200, 1920, 2048, 3840]
   */
  readonly widths?: readonly number[]
  /** Further sizes, such as `['1200x630']`. @default none */
  readonly sizes?: readonly string[]
  /** The values of `q` that may be asked for, from 1 to 100. @default [50, 75, 90] */
  readonly qualities?: readonly number[]
  /**
   * The secret of `signImage()`, at least 32 characters: what it signs may have any size and quality. `undefined`, as of a variable that
   * is not set: no signature is valid, and only this machine may reach the service. @default none
   */
  readonly secret?: string | undefined
  /** The most pixels of an image, uploaded or made smaller. @default 100,000,000 */
  readonly maxPixels?: number
  /** How many pictures are made at once, each in a process of its own. @default half of the processors */
  readonly atOnce?: number
  /** How long a picture may take, in milliseconds. @default 30,000 */
  readonly timeMs?: number
}

/** How much one account or token may store. */
export interface AssetQuota {
  /** The most files; another one is refused with 403. @default no bound */
  readonly files?: number
  /** The most bytes of all files together; what goes beyond is refused with 413. @default no bound */
  readonly bytes?: number
}

/** The largest file where the config does not say, in bytes. */
export const DEFAULT_FILE_BYTES: number = 100 * 1024 * 1024

/** The default number of days for which the bytes of deleted files are kept. */
export const DEFAULT_KEEP_DELETED_DAYS = 30

/** The most pixels of an image where the config does not say. */
export const DEFAULT_IMAGE_PIXELS = 100_000_000

/** How long a picture may take where the config does not say, in milliseconds. */
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

/** Says what is wrong with a store of files; `undefined`: nothing. */
export const blobStoreRule = (value: unknown): string | undefined =>
  isRecord(value) && typeof value.open === 'function' ? undefined : "write a store, such as disk({ folder: 'uploads' })"

/** The largest side of a picture that can be asked for, in pixels. */
export const MAX_IMAGE_SIDE = 4096

/** Says what is wrong with a list of numbers, each from 1 to a maximum; `undefined`: nothing. */
export const wholeNumbersRule =
  (maximum: number) =>
  (value: unknown): string | undefined => {
    const isRight = (one: unknown): boolean => Number.isInteger(one) && Number(one) >= 1 && Number(one) <= maximum
    const isList = Array.isArray(value) && value.length > 0 && value.every(isRight)
    return isList ? undefined : `write a list of whole numbers from 1 to ${maximum}`
  }

/** Says what is wrong with a list of sizes; `undefined`: nothing. */
export function imageSizesRule(value: unknown): string | undefined {
  const isSide = (text: string | undefined): boolean => /^[1-9]\d*$/.test(text ?? '') && Number(text) <= MAX_IMAGE_SIDE
  const isSize = (one: unknown): boolean => {
    const [width, height, ...more] = String(one).split('x')
    return isSide(width) && isSide(height) && more.length === 0
  }
  const isList = Array.isArray(value) && value.every(isSize)
  return isList ? undefined : `write a list of sizes of at most ${MAX_IMAGE_SIDE} pixels, such as ['1200x630']`
}

/** Says what is wrong with the secret of signatures; `undefined`: nothing. */
export const imageSecretRule = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length >= 32 ? undefined : 'write a secret of at least 32 characters'
