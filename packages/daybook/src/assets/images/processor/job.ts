/** The way to fit a picture into a width and a height, as in CSS `object-fit`; `inside` keeps the whole picture, without bars. */
export type ImageFit = 'cover' | 'contain' | 'inside'

/** The formats of pictures that Daybook makes. */
export type ImageFormat = 'avif' | 'webp' | 'jpeg' | 'png'

/** The point of a picture that cropping keeps visible: shares of its width and height as shown, from 0 to 1. */
export interface FocalPoint {
  readonly x: number
  readonly y: number
}

/** The way to make a picture from another. It is never enlarged, and has no metadata. */
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

/** The result of a transformation. */
export interface TransformedImage {
  readonly bytes: Uint8Array
  /** In pixels. */
  readonly width: number
  readonly height: number
}

/** The size of a picture, and a placeholder. */
export interface ImageDescription {
  /** In pixels, as it is shown. */
  readonly width: number
  readonly height: number
  /** The picture in at most 32 x 32 pixels, as a `data:` URI for `<img src>` and `background-image`. */
  readonly placeholder: string
}

/** A task for a process, about the picture whose bytes the process has received. */
export type ImageJob = { readonly maxPixels: number; readonly seconds: number } & (
  | { readonly kind: 'describe' }
  | { readonly kind: 'transform'; readonly transformation: ImageTransformation }
)

export interface ImageResults {
  readonly describe: ImageDescription
  readonly transform: TransformedImage
}

/** The reason why a job failed: `sharp` cannot be loaded, or cannot read the picture. */
export type ImageFailure = 'unavailable' | 'unreadable'
