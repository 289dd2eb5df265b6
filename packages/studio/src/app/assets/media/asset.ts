/** The point that stays visible when an image is cropped, from 0, 0 (left, top) to 1, 1. */
export interface FocalPoint {
  readonly x: number
  readonly y: number
}

/** The fields of a file that lists select. */
export interface Asset {
  readonly id: string
  readonly filename: string
  readonly originalName: string
  readonly mimeType: string
  /** In bytes. */
  readonly size: number
  /** The path of its folder; empty at the top level. */
  readonly directory: string
  readonly path: string
  readonly url: string
  readonly alt: string | null
  readonly width: number | null
  readonly height: number | null
  /** A tiny preview of the image, as a `data:` URL. */
  readonly placeholder: string | null
  readonly focalPoint: FocalPoint | null
  readonly createdAt: string
  readonly updatedAt: string
}

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
 * Returns the URL of a resized image, which the service makes if it has `sharp`.
 *
 * @param width the displayed width, in pixels
 * @param allowed the widths that the service supports; the next larger one is requested, else the largest
 */
export function getImageUrl(id: string, width: number, allowed: readonly number[]): string {
  const larger = allowed.filter((value) => value >= width)
  const nearest = larger.length > 0 ? Math.min(...larger) : Math.max(...allowed)
  return `/api/assets/${encodeURIComponent(id)}/image?w=${nearest}`
}

export const toObjectPosition = (point: FocalPoint | null): string =>
  point === null ? '50% 50%' : `${point.x * 100}% ${point.y * 100}%`

export const ASSET_KINDS = ['image', 'video', 'audio', 'document', 'other'] as const

export type AssetKind = (typeof ASSET_KINDS)[number]

/** Prefixes of media types by kind; media types without a match are `other`. */
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

const PREFIX_ENTRIES = Object.entries(PREFIXES) as readonly (readonly [
  Exclude<AssetKind, 'other'>,
  readonly string[],
])[]

export const getAssetKind = (mimeType: string): AssetKind =>
  PREFIX_ENTRIES.find(([, prefixes]) => prefixes.some((prefix) => mimeType.startsWith(prefix)))?.[0] ?? 'other'

export function buildKindFilter(kind: AssetKind): object {
  if (kind === 'other') return { not: { or: Object.values(PREFIXES).flat().map(startsWith) } }
  const filters = PREFIXES[kind].map(startsWith)
  return filters.length === 1 && filters[0] ? filters[0] : { or: filters }
}

const startsWith = (prefix: string): object => ({ mimeType: { startsWith: prefix } })

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** Formats a size in bytes: `1.4 MB`. */
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

/** The number of ids in a request, limited by the length of its URL. */
const CHUNK_SIZE = 100

/** Calls a function with the ids of files, in chunks that fit into a request. */
export async function forEachChunk(
  assets: readonly { readonly id: string }[],
  work: (ids: readonly string[]) => Promise<unknown>,
): Promise<void> {
  for (let start = 0; start < assets.length; start += CHUNK_SIZE)
    await work(assets.slice(start, start + CHUNK_SIZE).map(({ id }) => id))
}
