/** The place that a cropped image keeps, from 0, 0 (left, top) to 1, 1. */
export interface FocalPoint {
  readonly x: number
  readonly y: number
}

/** A file of the service, as far as lists of files ask for it. */
export interface Asset {
  readonly id: string
  readonly filename: string
  readonly originalName: string
  readonly mimeType: string
  /** In bytes. */
  readonly size: number
  /** The folder that it is in; empty at the top. */
  readonly directory: string
  readonly path: string
  readonly url: string
  readonly alt: string | null
  readonly width: number | null
  readonly height: number | null
  /** The image in a few pixels, as a `data:` address. */
  readonly placeholder: string | null
  readonly focalPoint: FocalPoint | null
  readonly createdAt: string
  readonly updatedAt: string
}

/** What lists of files ask for. */
export const ASSET_COLUMNS: readonly (keyof Asset)[] = [
  'filename',
  'originalName',
  'mimeType',
  'size',
  'directory',
  'path',
  'url',
  'alt',
  'width',
  'height',
  'placeholder',
  'focalPoint',
  'createdAt',
  'updatedAt',
]

/**
 * The address of an image in another size, which the service makes where it has `sharp`.
 *
 * @param width the width that the page shows, in pixels
 * @param allowed the widths that the service takes; the next larger one is requested, or else the largest
 */
export function imageAddress(id: string, width: number, allowed: readonly number[]): string {
  const larger = allowed.filter((value) => value >= width)
  const nearest = larger.length > 0 ? Math.min(...larger) : Math.max(...allowed)
  return `/api/assets/${encodeURIComponent(id)}/image?w=${nearest}`
}

/** Where a focal point is in an image, as CSS says it. */
export const objectPosition = (point: FocalPoint | null): string =>
  point === null ? '50% 50%' : `${point.x * 100}% ${point.y * 100}%`
