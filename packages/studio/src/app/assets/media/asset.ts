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
export const ASSET_FIELDS: readonly (keyof Asset)[] = [
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
export function getImageUrl(id: string, width: number, allowed: readonly number[]): string {
  const larger = allowed.filter((value) => value >= width)
  const nearest = larger.length > 0 ? Math.min(...larger) : Math.max(...allowed)
  return `/api/assets/${encodeURIComponent(id)}/image?w=${nearest}`
}

/** Where a focal point is in an image, as CSS says it. */
export const toObjectPosition = (point: FocalPoint | null): string =>
  point === null ? '50% 50%' : `${point.x * 100}% ${point.y * 100}%`

/** What files are, roughly. */
export const ASSET_KINDS = ['image', 'video', 'audio', 'document', 'other'] as const

/** What a file is, roughly. */
export type AssetKind = (typeof ASSET_KINDS)[number]

/** Starts of media types, by kind; those of no kind are `other`. */
const PREFIXES: Readonly<Record<Exclude<AssetKind, 'other'>, readonly string[]>> = {
  image: ['image/'],
  video: ['video/'],
  audio: ['audio/'],
  document: [
    'text/',
    'application/pdf',
    'application/msword',
    'application/rtf',
    'application/vnd.ms-',
    'application/vnd.oasis.opendocument.',
    'application/vnd.openxmlformats-',
  ],
}

const NAMED = Object.entries(PREFIXES) as readonly (readonly [Exclude<AssetKind, 'other'>, readonly string[]])[]

/** What a file of a media type is. */
export const getAssetKind = (mimeType: string): AssetKind =>
  NAMED.find(([, prefixes]) => prefixes.some((prefix) => mimeType.startsWith(prefix)))?.[0] ?? 'other'

/** The filter for files of a kind, as lists take it. */
export function buildKindFilter(kind: AssetKind): object {
  if (kind === 'other') return { not: { or: Object.values(PREFIXES).flat().map(startsWith) } }
  const [first, ...others] = PREFIXES[kind].map(startsWith)
  return others.length === 0 && first ? first : { or: [first, ...others] }
}

const startsWith = (prefix: string): object => ({ mimeType: { startsWith: prefix } })

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** A size as the reader writes it: `1.4 MB`. */
export function formatBytes(bytes: number, locale: string): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const unit = UNITS[power] ?? 'byte'
  const value = bytes / 1000 ** power
  const digits = power === 0 || value >= 100 ? 0 : 1
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit,
    unitDisplay: unit === 'byte' ? 'long' : 'short',
    maximumFractionDigits: digits,
  }).format(value)
}

/** How many files one request names: their ids stand in its address. */
const AT_ONCE = 100

/** Does something with files, as many at a time as a request can name. */
export async function forEachChunk(
  assets: readonly { readonly id: string }[],
  work: (ids: readonly string[]) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < assets.length; at += AT_ONCE) await work(assets.slice(at, at + AT_ONCE).map(({ id }) => id))
}
