import { isOwn } from '../where.ts'
import type { PageQuery } from './page.ts'

/** So many entries less to skip are worth another statement that is kept compiled. */
const WORTHWHILE = 100

/**
 * The query that finds a page and the entry after it from the end of the list, in the opposite order; `undefined`: the page is not nearer to
 * the end, or it is not known at which revision the list was counted.
 */
export function pageFromEnd(query: PageQuery): PageQuery | undefined {
  const { after, where, offset, limit, size, sort, revision } = query
  // What a filter finds through others may change without the collection.
  if (revision === undefined || after || (where && !isOwn(where))) return undefined
  const behind = Math.max(0, size.found - offset - (limit + 1))
  if (offset - behind < WORTHWHILE) return undefined
  return {
    ...query,
    sort: sort.map(({ by, descending, nullsFirst }) => ({ by, descending: !descending, nullsFirst: !nullsFirst })),
    offset: behind,
    limit: size.found - offset - behind,
    isOfRevision: true,
  }
}
