import type { BlobStoreOption } from '../assets/blob-store.ts'
import type { Field } from '../fields/field.ts'
import { isRecord } from '../fields/field.ts'
import type { CollectionAccess } from './access.ts'

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
  /** The rules by action, as those of a collection. @default everyone reads, sessions write @see docs/access.md */
  readonly access?: CollectionAccess
}

/** The largest file where the config does not say, in bytes. */
export const DEFAULT_FILE_BYTES: number = 100 * 1024 * 1024

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
export const aBlobStore = (value: unknown): string | undefined =>
  isRecord(value) && typeof value.open === 'function' ? undefined : "write a store, such as disk({ folder: 'uploads' })"
