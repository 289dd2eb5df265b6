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

/** The parts of a read that expansion needs. */
export interface ExpansionSource {
  readonly context: ContentContext
  readonly scope: CallerScope
  /** The revisions of the collections that the response depends on, read before any of its documents. */
  readonly revisions: readonly number[]
  /** Shows included documents as their drafts are. @default they are shown as they are published */
  readonly readDrafts?: ReadRelatedDrafts | undefined
}

/** Reads entries as their drafts have them. */
export type ReadRelatedDrafts = (collection: CollectionModel, rows: readonly EntryRow[]) => Promise<readonly EntryRow[]>

/** One page of the entries that refer to a document, as the reader may see them. */
export interface ReversePage extends ReversePageRows {
  readonly total: number
}

/**
 * The pages of a reverse field, by the ids of the documents that it belongs to: one statement for all of them. Counting can be
 * costly: the numbers are kept as long as nothing that they depend on changes.
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
    through: throughOf(to, reverse.through),
    target: reverse.target,
    statuses,
    where,
    hasAuthors: scope.canSeeAuthors(to),
  }
  const totals = new KeptTotals(source, list)
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

/** The totals of a reverse field, as they were counted before. */
class KeptTotals {
  readonly #totals: ContentContext['listCache']['reverseTotals']
  readonly #question: string
  readonly #known = new Map<string, number>()

  constructor({ context: engine, scope, revisions }: ExpansionSource, { reverse, to, page }: ReverseExpansion) {
    this.#totals = engine.listCache.reverseTotals
    const asked = [reverse.target, to.table, to.schemaHash, reverse.through, page.statuses]
    this.#question = hashCacheKey(asked, scope.cacheKeyPart([to]), revisions)
  }

  /** Those of the documents whose total is to be counted. The others are looked up now: what is kept may go meanwhile. */
  unknown(ids: readonly string[]): readonly string[] {
    for (const id of ids) {
      const total = this.#totals.get(`${this.#question} ${id}`)
      if (total !== undefined) this.#known.set(id, total)
    }
    return ids.filter((id) => !this.#known.has(id))
  }

  /** The total of a document; `counted` where it was not known. */
  keep(id: string, counted: number | null): number {
    const total = this.#known.get(id) ?? counted ?? 0
    this.#totals.set(`${this.#question} ${id}`, total)
    return total
  }
}

/** The relation of the collection that refers, as entries are found by it. The config was checked for an index of it. */
function throughOf(
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

/** The JSON text of a page of a reverse field: a list response of the collection that refers. */
export function formatReversePage(
  { to, reverse, page }: ReverseExpansion,
  id: string,
  found: ReversePage | undefined,
  items: readonly string[],
): string {
  const nextCursor = found?.end ? encodeCursor(fingerprintOf(to, reverse.through, page, id), found.end) : null
  const head = `{"collection":"${to.key}","total":${found?.total ?? 0},"limit":${page.limit},"offset":${page.offset}`
  return `${head},"items":[${items.join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}`
}

/** The page goes on in the collection's own list, with the relation in `where`, and `sort` and `status` as they were. */
function fingerprintOf(
  to: CollectionModel,
  through: string,
  { sort, statuses }: ReverseExpansion['page'],
  id: string,
): string {
  const { by, kind } = throughOf(to, through)
  const operator = kind === 'one' ? 'eq' : 'in'
  return listFingerprint(to, { sort, statuses, where: JSON.stringify([[`where[${by.path}][${operator}]`, [id]]]) })
}
