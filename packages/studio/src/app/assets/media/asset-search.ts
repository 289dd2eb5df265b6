import { ASSET_FIELDS, ASSET_KINDS, type AssetKind, buildKindFilter } from './asset.ts'
import { buildFolderFilter, type FolderTree, isFolderPath } from './folders.ts'

export const ASSET_SORTS = ['-createdAt', 'createdAt', 'originalName', '-size', 'size'] as const

export type AssetSort = (typeof ASSET_SORTS)[number]

/** The filters and the order of a list of files, as in its URL. */
export interface AssetSearch {
  /** Words that must all match. */
  readonly q?: string | undefined
  readonly kind?: AssetKind | undefined
  /** Such as `images/2026`; includes its subfolders. */
  readonly folder?: string | undefined
  /** @default newest first, or with `q` best match first */
  readonly sort?: AssetSort | undefined
}

type UrlParams = Readonly<Record<string, unknown>>

const isAmong = <T>(values: readonly T[], value: unknown): value is T => values.some((item) => item === value)

const isFolderName = (text: unknown): text is string => typeof text === 'string' && isFolderPath(text)

/** Parses the parameters of a URL, without invalid ones. */
export const readAssetSearch = ({ q, kind, folder, sort }: UrlParams): AssetSearch => ({
  ...(typeof q === 'string' && q.trim() !== '' ? { q } : {}),
  ...(isAmong(ASSET_KINDS, kind) ? { kind } : {}),
  ...(isFolderName(folder) ? { folder } : {}),
  ...(isAmong(ASSET_SORTS, sort) ? { sort } : {}),
})

/** The constraints of a field on its files. */
export interface AssetConstraints {
  /** Accepted media types, such as `image/*`. @default all */
  readonly accept?: readonly string[] | undefined
  /** @default unlimited */
  readonly maxBytes?: number | undefined
}

/** True if a field accepts a file. */
export const isAcceptedAsset = (
  { accept, maxBytes }: AssetConstraints,
  { mimeType, size }: { readonly mimeType: string; readonly size: number },
): boolean =>
  (accept === undefined || accept.some((range) => isInRange(range, mimeType))) &&
  (maxBytes === undefined || size <= maxBytes)

const isInRange = (range: string, mimeType: string): boolean =>
  range.endsWith('/*') ? mimeType.startsWith(range.slice(0, -1)) : mimeType === range

const buildRangeFilter = (range: string): object => ({
  mimeType: range.endsWith('/*') ? { startsWith: range.slice(0, -1) } : { eq: range },
})

/**
 * Builds the query of a list of files that a field accepts.
 *
 * @param tree the known folders
 */
export function buildAssetQuery(
  { q, kind, folder, sort }: AssetSearch,
  { accept, maxBytes }: AssetConstraints = {},
  tree?: FolderTree,
): Readonly<Record<string, unknown>> {
  const filters: readonly object[] = [
    ...(accept === undefined ? [] : [{ or: accept.map(buildRangeFilter) }]),
    ...(maxBytes === undefined ? [] : [{ size: { lte: maxBytes } }]),
    ...(kind === undefined ? [] : [buildKindFilter(kind)]),
    ...(folder === undefined ? [] : [buildFolderFilter(folder, tree)]),
  ]
  return {
    select: ASSET_FIELDS,
    ...(filters.length === 0 ? {} : { where: filters.length === 1 ? filters[0] : { and: filters } }),
    ...(q === undefined ? {} : { q }),
    ...(sort === undefined ? (q === undefined ? { sort: '-createdAt' } : {}) : { sort }),
  }
}

export const isFiltered = ({ q, kind, folder }: AssetSearch): boolean =>
  q !== undefined || kind !== undefined || folder !== undefined

export interface LibrarySearch extends AssetSearch {
  /** @default cards */
  readonly view?: 'list' | undefined
}

/** Parses the parameters of the library's URL, without invalid ones. */
export const readLibrarySearch = (search: Readonly<Record<string, unknown>>): LibrarySearch => ({
  ...readAssetSearch(search),
  ...(search.view === 'list' ? { view: 'list' } : {}),
})
