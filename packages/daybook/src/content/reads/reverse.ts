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

/** The context of an expansion. */
export interface ExpansionSource {
  readonly context: ContentContext
  readonly scope: CallerScope
  /** The revisions of the collections that the response depends on, read before its documents. */
  readonly revisions: readonly number[]
  /** Reads the drafts of included documents. @default they are shown as published */
  readonly readDrafts?: ReadRelatedDrafts | undefined
}

/** Reads the drafts of related entries. */
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
  list: ReverseExpansion,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ReversePage>> {
  if (ids.length === 0) return new Map()
  const { context: engine, scope } = source
  const { reverse, to, page } = list
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
  const totals = new CachedTotals(source, list)
  const found = await engine.store.read.reverses.pages(query, ids, totals.unknown(ids))
  const rows = [...found.values()].flatMap((one) => one.rows)
  const shown = new Map(
    (await localizeRows(engine, scope.access, to, rows, scope.localeChoice)).map((row) => [row.id, row]),
  )
  return new Map(
    [...found].map(([id, one]) => {
      const total = totals.keep(id, one.total)
      return [id, { ...one, total, rows: one.rows.flatMap((row) => shown.get(row.id) ?? []) }]
    }),
  )
}

/** The cached totals of a reverse field. */
class CachedTotals {
  readonly #totals: ContentContext['listCache']['reverseTotals']
  readonly #question: string
  readonly #known = new Map<string, number>()

  constructor({ context: engine, scope, revisions }: ExpansionSource, { reverse, to, page }: ReverseExpansion) {
    this.#totals = engine.listCache.reverseTotals
    const asked = [reverse.target, to.table, to.schemaHash, reverse.through, page.statuses]
    this.#question = hashCacheKey(asked, scope.cacheKeyPart([to]), revisions)
  }

  /** Returns the documents whose total must be counted. Cached totals are copied now, since the cache may evict them. */
  unknown(ids: readonly string[]): readonly string[] {
    for (const id of ids) {
      const total = this.#totals.get(`${this.#question} ${id}`)
      if (total !== undefined) this.#known.set(id, total)
    }
    return ids.filter((id) => !this.#known.has(id))
  }

  /** Returns the total of a document, and caches it. */
  keep(id: string, counted: number | null): number {
    const total = this.#known.get(id) ?? counted ?? 0
    this.#totals.set(`${this.#question} ${id}`, total)
    return total
  }
}

/** Returns the indexed relation by which the referring entries are found. The config is checked to have its index. */
function findRelation(
  { key, filterableFields: comparables, multiValuedFields: manyValued }: CollectionModel,
  path: string,
): ReverseRelation {
  const one = comparables.get(path) ?? comparables.get(`${path}.id`)
  const collection = comparables.get(`${path}.collection`)
  if (one) return { kind: 'one', by: one, ...(one.part && collection ? { collection } : {}) }
  const many = manyValued.get(path) ?? manyValued.get(`${path}.id`)
  if (!many) throw new Error(`${key}.${path} has no index`)
  return { kind: 'many', by: many }
}

/** Formats a page of a reverse field as a list response of the referring collection. */
export function formatReversePage(
  { to, reverse, page }: ReverseExpansion,
  id: string,
  found: ReversePage | undefined,
  items: readonly string[],
): string {
  const nextCursor = found?.end ? encodeCursor(createFingerprint(to, reverse.through, page, id), found.end) : null
  const head = `{"collection":"${to.key}","total":${found?.total ?? 0},"limit":${page.limit},"offset":${page.offset}`
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
