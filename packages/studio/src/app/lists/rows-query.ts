import type { StudioCollection } from '../model/studio-model.ts'
import type { ListField } from './list-fields.ts'
import type { ListSearch } from './list-search.ts'

/** Which entries a list is about, whatever is shown of them. */
export interface RowFilter {
  readonly q?: string
  readonly status?: string
  readonly where?: unknown
}

/** What is asked of the service for the rows of a list; the page comes besides. */
export interface RowsQuery extends RowFilter {
  readonly select: readonly string[]
  readonly include: readonly string[]
  /** Absent: by how well they match. */
  readonly sort?: string
  readonly draft?: true
}

/** The order of a list for which no other one is chosen. */
const DEFAULT_SORT = '-updatedAt'

/** Which entries an address is about. */
export const toRowFilter = ({ q, status, where }: ListSearch): RowFilter => ({
  ...(q === undefined ? {} : { q }),
  ...(status === undefined ? {} : { status }),
  ...(where === undefined ? {} : { where }),
})

/** The order of a list; `undefined`: by how well entries match the words. */
export function resolveSort({ q, sort }: ListSearch, fields: readonly ListField[]): string | undefined {
  const isKnown = fields.some(({ path, sortable }) => sortable && path === sort?.replace(/^-/, ''))
  if (isKnown) return sort
  return q === undefined ? DEFAULT_SORT : undefined
}

/** What to ask for: only what the columns show, and the titles of what relations lead to in the same request. */
export function buildRowsQuery(
  collection: StudioCollection,
  search: ListSearch,
  { fields, columns }: { readonly fields: readonly ListField[]; readonly columns: readonly ListField[] },
  collections: ReadonlyMap<string, StudioCollection>,
): RowsQuery {
  const { titleField, statusField } = collection
  const asked = columns.map((column) => askFor(column, collections))
  const select = new Set([titleField, ...asked.flatMap((one) => one.select)].filter((path) => path !== undefined))
  const sort = resolveSort(search, fields)
  return {
    ...toRowFilter(search),
    // Without any field, a selection would be all of them.
    select: select.size === 0 ? ['id'] : [...select],
    include: [...new Set(asked.flatMap(({ include }) => include))],
    ...(sort === undefined ? {} : { sort }),
    ...(statusField === null ? {} : { draft: true }),
  }
}

function askFor(
  { path, to }: ListField,
  collections: ReadonlyMap<string, StudioCollection>,
): { readonly select: readonly string[]; readonly include: readonly string[] } {
  const titles = to.flatMap((key) => collections.get(key)?.titleField ?? [])
  if (titles.length === 0) return { select: [path.split('.')[0] ?? path], include: [] }
  return { select: [...new Set(titles)].map((title) => `${path}.${title}`), include: [path] }
}
