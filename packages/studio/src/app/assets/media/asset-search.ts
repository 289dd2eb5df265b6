import { ASSET_FIELDS, ASSET_KINDS, type AssetKind, buildKindFilter } from './asset.ts'
import { buildFolderFilter, type FolderTree, isFolderPath } from './folders.ts'

/** Orders of a list of files. */
export const ASSET_SORTS = ['-createdAt', 'createdAt', 'originalName', '-size', 'size'] as const

/** An order of a list of files. */
export type AssetSort = (typeof ASSET_SORTS)[number]

/** Which files are shown, and in which order. */
export interface AssetSearch {
  /** Words that must all be found. */
  readonly q?: string | undefined
  readonly kind?: AssetKind | undefined
  /** Such as `images/2026`; what lies deeper is shown, too. */
  readonly folder?: string | undefined
  /** @default the newest first, or with `q` the best match first */
  readonly sort?: AssetSort | undefined
}

type Unread = Readonly<Record<string, unknown>>

const isAmong = <T>(values: readonly T[], value: unknown): value is T => values.some((one) => one === value)

const isFolderName = (text: unknown): text is string => typeof text === 'string' && isFolderPath(text)

/** Reads what an address says; what means nothing is left out. */
export const readAssetSearch = ({ q, kind, folder, sort }: Unread): AssetSearch => ({
  ...(typeof q === 'string' && q.trim() !== '' ? { q } : {}),
  ...(isAmong(ASSET_KINDS, kind) ? { kind } : {}),
  ...(isFolderName(folder) ? { folder } : {}),
  ...(isAmong(ASSET_SORTS, sort) ? { sort } : {}),
})

/** What a field asks of its files. */
export interface AssetConstraints {
  /** Media types, such as `image/*`. @default every type */
  readonly accept?: readonly string[] | undefined
  /** @default every size */
  readonly maxBytes?: number | undefined
}

/** Whether a field takes a file. */
export const isAcceptedAsset = (
  { accept, maxBytes }: AssetConstraints,
  { mimeType, size }: { readonly mimeType: string; readonly size: number },
): boolean =>
  (accept === undefined || accept.some((range) => isWithin(range, mimeType))) &&
  (maxBytes === undefined || size <= maxBytes)

const isWithin = (range: string, mimeType: string): boolean =>
  range.endsWith('/*') ? mimeType.startsWith(range.slice(0, -1)) : mimeType === range

const within = (range: string): object => ({
  mimeType: range.endsWith('/*') ? { startsWith: range.slice(0, -1) } : { eq: range },
})

/**
 * The query of a list of files, of those alone that a field takes.
 *
 * @param tree what is known of folders
 */
export function buildAssetQuery(
  { q, kind, folder, sort }: AssetSearch,
  { accept, maxBytes }: AssetConstraints = {},
  tree?: FolderTree,
): Readonly<Record<string, unknown>> {
  const conditions: readonly object[] = [
    ...(accept === undefined ? [] : [{ or: accept.map(within) }]),
    ...(maxBytes === undefined ? [] : [{ size: { lte: maxBytes } }]),
    ...(kind === undefined ? [] : [buildKindFilter(kind)]),
    ...(folder === undefined ? [] : [buildFolderFilter(folder, tree)]),
  ]
  return {
    select: ASSET_FIELDS,
    ...(conditions.length === 0 ? {} : { where: conditions.length === 1 ? conditions[0] : { and: conditions } }),
    ...(q === undefined ? {} : { q }),
    ...(sort === undefined ? (q === undefined ? { sort: '-createdAt' } : {}) : { sort }),
  }
}

/** Whether a search leaves files out. */
export const isFiltered = ({ q, kind, folder }: AssetSearch): boolean =>
  q !== undefined || kind !== undefined || folder !== undefined

/** What the address of the library says. */
export interface LibrarySearch extends AssetSearch {
  /** @default cards */
  readonly view?: 'list' | undefined
}

/** Reads what the address of the library says; what means nothing is left out. */
export const readLibrarySearch = (search: Readonly<Record<string, unknown>>): LibrarySearch => ({
  ...readAssetSearch(search),
  ...(search.view === 'list' ? { view: 'list' } : {}),
})
