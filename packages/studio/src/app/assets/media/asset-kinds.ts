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
export const kindOf = (mimeType: string): AssetKind =>
  NAMED.find(([, prefixes]) => prefixes.some((prefix) => mimeType.startsWith(prefix)))?.[0] ?? 'other'

/** The filter for files of a kind, as lists take it. */
export function whereOfKind(kind: AssetKind): object {
  if (kind === 'other') return { not: { or: Object.values(PREFIXES).flat().map(startsWith) } }
  const [first, ...others] = PREFIXES[kind].map(startsWith)
  return others.length === 0 && first ? first : { or: [first, ...others] }
}

const startsWith = (prefix: string): object => ({ mimeType: { startsWith: prefix } })
