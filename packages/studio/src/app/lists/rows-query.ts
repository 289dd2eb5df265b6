import type { StudioCollection } from '../model/studio-model.ts'
import { findThumbnailField, type ListField, THUMBNAIL_FIELDS } from './list-fields.ts'
import type { ListSearch } from './list-search.ts'

/** The filter of a list, independent of columns and order. */
export interface RowFilter {
  readonly q?: string
  readonly status?: string
  readonly where?: unknown
}

/** The query of a list without its page. */
export interface RowsQuery extends RowFilter {
  readonly select: readonly string[]
  readonly include: readonly string[]
  /** If absent, the best match comes first. */
  readonly sort?: string
  readonly draft?: true
}

const DEFAULT_SORT = '-updatedAt'

/** Returns the key of the order by hand; `undefined` if the collection has none. */
export const findRank = (fields: readonly ListField[]): string | undefined =>
  fields.find(({ type }) => type === 'rank')?.path

export const toRowFilter = ({ q, status, where }: ListSearch): RowFilter => ({
  ...(q === undefined ? {} : { q }),
  ...(status === undefined ? {} : { status }),
  ...(where === undefined ? {} : { where }),
})

/** Returns the order of a list; `undefined` if the best match comes first. */
export function resolveSort({ q, sort }: ListSearch, fields: readonly ListField[]): string | undefined {
  const isSortable = fields.some(({ path, sortable }) => sortable && path === sort?.replace(/^-/, ''))
  if (isSortable) return sort
  return q === undefined ? (findRank(fields) ?? DEFAULT_SORT) : undefined
}

/** Builds the query of a list, which selects only the shown columns and the titles of related entries. */
export function buildRowsQuery(
  collection: StudioCollection,
  search: ListSearch,
  { fields, columns }: { readonly fields: readonly ListField[]; readonly columns: readonly ListField[] },
  collections: ReadonlyMap<string, StudioCollection>,
): RowsQuery {
  const { titleField, statusField } = collection
  const thumbnailField = findThumbnailField(collection)
  const thumbnails = thumbnailField === undefined ? [] : THUMBNAIL_FIELDS.map((key) => `${thumbnailField}.${key}`)
  const selections = columns.map((column) => selectColumn(column, collections))
  const select = new Set(
    [
      titleField,
      statusField ?? undefined,
      ...thumbnails,
      ...selections.flatMap((selection) => selection.select),
    ].filter((path) => path !== undefined),
  )
  const sort = resolveSort(search, fields)
  return {
    ...toRowFilter(search),
    // An empty selection would select all fields.
    select: select.size === 0 ? ['id'] : [...select],
    include: [
      ...new Set([
        ...(thumbnailField === undefined ? [] : [thumbnailField]),
        ...selections.flatMap(({ include }) => include),
      ]),
    ],
    ...(sort === undefined ? {} : { sort }),
    ...(statusField === null ? {} : { draft: true }),
  }
}

function selectColumn(
  { path, to }: ListField,
  collections: ReadonlyMap<string, StudioCollection>,
): { readonly select: readonly string[]; readonly include: readonly string[] } {
  const titles = to.flatMap((key) => collections.get(key)?.titleField ?? [])
  if (titles.length === 0) return { select: [path.split('.')[0] ?? path], include: [] }
  return { select: [...new Set(titles)].map((title) => `${path}.${title}`), include: [path] }
}
