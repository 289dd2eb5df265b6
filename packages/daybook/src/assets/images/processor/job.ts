/** How a picture is fitted into a width and a height, as in CSS `object-fit`; `inside` keeps the whole picture, without bars. */
export type ImageFit = 'cover' | 'contain' | 'inside'

/** The formats that pictures are made in. */
export type ImageFormat = 'avif' | 'webp' | 'jpeg' | 'png'

/** The point of a picture that stays in sight when it is cut: parts of its width and height as shown, from 0 to 1. */
export interface FocalPoint {
  readonly x: number
  readonly y: number
}

/** How to make a picture from another. It is never enlarged, and has no metadata. */
export interface ImageTransformation {
  /** In pixels; without both, the picture keeps its size. */
  readonly width?: number
  readonly height?: number
  readonly fit: ImageFit
  readonly format: ImageFormat
  /** From 1 to 100; PNG has none. */
  readonly quality: number
  readonly focal?: FocalPoint
}

/** A picture that was made. */
export interface TransformedImage {
  readonly bytes: Uint8Array
  /** In pixels. */
  readonly width: number
  readonly height: number
}

/** What a picture is like. */
export interface ImageDescription {
  /** In pixels, as it is shown. */
  readonly width: number
  readonly height: number
  /** The picture in at most 32 x 32 pixels, as a `data:` URI for `<img src>` and `background-image`. */
  readonly placeholder: string
}

/** What a process is to do with the picture whose bytes follow. */
export type ImageJob = { readonly maxPixels: number; readonly seconds: number } & (
  | { readonly kind: 'describe' }
  | { readonly kind: 'transform'; readonly transformation: ImageTransformation }
)

/** What comes of a job. */
export interface ImageResults {
  readonly describe: ImageDescription
  readonly transform: TransformedImage
}

/** Why nothing came of a job: `sharp` cannot be loaded, or cannot make anything of the picture. */
export type ImageFailure = 'unavailable' | 'unreadable'
