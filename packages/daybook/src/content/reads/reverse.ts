import type { CollectionModel } from '../../model/model.ts'
import { encodeCursor } from '../../query/cursor.ts'
import type { ReverseExpansion } from '../../query/expansion.ts'
import { listFingerprint } from '../../query/sort-order.ts'
import type { ReversePageRows, ReverseRelation } from '../../store/reads/reverse-reader.ts'
import type { EntryRow } from '../../store/rows.ts'
import type { CallerScope } from '../access/caller-scope.ts'
import type { ContentContext } from '../context.ts'
import { localizeRows } from '../locales/locale.ts'
import { hashCacheKey } from './etags.ts'

export interface ExpansionSource {
  readonly context: ContentContext
  readonly scope: CallerScope
  /** The revisions of the collections that the response depends on, read before its documents. */
  readonly revisions: readonly number[]
  /** The part of the tag for links in included documents; `undefined` if there are none. */
  readonly linksPart: string | undefined
  /** Reads the drafts of included documents. @default they are shown as published */
  readonly readDrafts?: ReadRelatedDrafts | undefined
}

export type ReadRelatedDrafts = (collection: CollectionModel, rows: readonly EntryRow[]) => Promise<readonly EntryRow[]>

/** A page of the entries that refer to a document and that the caller may see. */
export interface ReversePage extends ReversePageRows {
  readonly total: number
}

/**
 * Reads the pages of a reverse field for several documents in one statement, by document id. Counting can be expensive, so totals are
 * cached until something that they depend on changes.
 */
export async function readReversePages(
  source: ExpansionSource,
  expansion: ReverseExpansion,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ReversePage>> {
  if (ids.length === 0) return new Map()
  const { context, scope } = source
  const { reverse, to, page } = expansion
  const { statuses, where } = scope.narrow(to, page.statuses)
  const query = {
    ...page,
    collection: to,
    through: findRelation(to, reverse.through),
    target: reverse.target,
    statuses,
    where,
    hasAuthors: scope.canSeeAuthors(to),
  }
  const totals = new CachedTotals(source, expansion)
  const pagesById = await context.store.read.reverses.pages(query, ids, totals.findUncounted(ids))
  const rows = [...pagesById.values()].flatMap((reversePage) => reversePage.rows)
  const localizedById = new Map(
    (await localizeRows(context, scope.access, to, rows, scope.localeChoice)).map((row) => [row.id, row]),
  )
  return new Map(
    [...pagesById].map(([id, reversePage]) => {
      const total = totals.resolve(id, reversePage.total)
      return [id, { ...reversePage, total, rows: reversePage.rows.flatMap((row) => localizedById.get(row.id) ?? []) }]
    }),
  )
}

class CachedTotals {
  readonly #totals: ContentContext['listCache']['reverseTotals']
  readonly #cacheKey: string
  readonly #cached = new Map<string, number>()

  constructor({ context, scope, revisions }: ExpansionSource, { reverse, to, page }: ReverseExpansion) {
    this.#totals = context.listCache.reverseTotals
    const parts = [reverse.target, to.table, to.schemaHash, reverse.through, page.statuses]
    this.#cacheKey = hashCacheKey(parts, scope.cacheKeyPart([to]), revisions)
  }

  /** Returns the documents whose total must be counted. Cached totals are copied now, since the cache may evict them. */
  findUncounted(ids: readonly string[]): readonly string[] {
    for (const id of ids) {
      const total = this.#totals.get(`${this.#cacheKey} ${id}`)
      if (total !== undefined) this.#cached.set(id, total)
    }
    return ids.filter((id) => !this.#cached.has(id))
  }

  resolve(id: string, counted: number | null): number {
    const total = this.#cached.get(id) ?? counted ?? 0
    this.#totals.set(`${this.#cacheKey} ${id}`, total)
    return total
  }
}

/** Returns the indexed relation by which the referring entries are found. The config is checked to have its index. */
function findRelation({ key, filterableFields, multiValuedFields }: CollectionModel, path: string): ReverseRelation {
  const single = filterableFields.get(path) ?? filterableFields.get(`${path}.id`)
  const collection = filterableFields.get(`${path}.collection`)
  if (single) return { kind: 'one', by: single, ...(single.part && collection ? { collection } : {}) }
  const many = multiValuedFields.get(path) ?? multiValuedFields.get(`${path}.id`)
  if (!many) throw new Error(`${key}.${path} has no index`)
  return { kind: 'many', by: many }
}

/** Formats a page of a reverse field as a list response of the referring collection. */
export function formatReversePage(
  { to, reverse, page }: ReverseExpansion,
  id: string,
  reversePage: ReversePage | undefined,
  items: readonly string[],
): string {
  const nextCursor = reversePage?.end
    ? encodeCursor(createFingerprint(to, reverse.through, page, id), reversePage.end)
    : null
  const head = `{"collection":"${to.key}","total":${reversePage?.total ?? 0},"limit":${page.limit},"offset":${page.offset}`
  return `${head},"items":[${items.join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}`
}

/** Returns the fingerprint for cursors, with which the list of the collection continues the page if `where` has the relation. */
function createFingerprint(
  to: CollectionModel,
  through: string,
  { sort, statuses }: ReverseExpansion['page'],
  id: string,
): string {
  const { by, kind } = findRelation(to, through)
  const operator = kind === 'one' ? 'eq' : 'in'
  return listFingerprint(to, { sort, statuses, where: JSON.stringify([[`where[${by.path}][${operator}]`, [id]]]) })
}
