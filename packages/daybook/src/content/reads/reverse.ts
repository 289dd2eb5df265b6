import type { CollectionModel } from '../../model/model.ts'
import { encodeCursor } from '../../query/cursor.ts'
import type { ListExpansion } from '../../query/expansion.ts'
import { listFingerprint } from '../../query/listing.ts'
import type { ReversePageRows, Through } from '../../store/reads/reverse-reader.ts'
import type { EntryRow } from '../../store/reads/rows.ts'
import type { ReaderScope } from '../access/reader-scope.ts'
import type { Engine } from '../engine.ts'
import { inChosenLocale } from '../locales/locale.ts'
import { variantOf } from './etags.ts'

/** The parts of a read that expansion needs. */
export interface ExpansionSource {
  readonly engine: Engine
  readonly scope: ReaderScope
  /** The revisions of the collections that the response depends on, read before any of its documents. */
  readonly revisions: readonly number[]
  /** Shows included documents as their drafts are. @default they are shown as they are published */
  readonly showDrafts?: DraftView | undefined
}

/** Reads entries as their drafts have them. */
export type DraftView = (collection: CollectionModel, rows: readonly EntryRow[]) => Promise<readonly EntryRow[]>

/** One page of the entries that refer to a document, as the reader may see them. */
export interface FoundPage extends ReversePageRows {
  readonly total: number
}

/**
 * The pages of a reverse field, by the ids of the documents that it belongs to: one statement for all of them. Counting can be
 * costly: the numbers are kept as long as nothing that they depend on changes.
 */
export async function findPages(
  source: ExpansionSource,
  list: ListExpansion,
  ids: readonly string[],
): Promise<ReadonlyMap<string, FoundPage>> {
  if (ids.length === 0) return new Map()
  const { engine, scope } = source
  const { reverse, to, page } = list
  const { statuses, where } = scope.narrow(to, page.statuses)
  const query = {
    ...page,
    collection: to,
    through: throughOf(to, reverse.through),
    target: reverse.target,
    statuses,
    where,
    hasPeople: scope.seesPeople(to),
  }
  const totals = new KeptTotals(source, list)
  const found = await engine.store.read.reverses.pages(query, ids, totals.unknown(ids))
  const rows = [...found.values()].flatMap((one) => one.rows)
  const shown = new Map(
    (await inChosenLocale(engine, scope.access, to, rows, scope.choice)).map((row) => [row.id, row]),
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
  readonly #totals: Engine['lists']['reverseTotals']
  readonly #question: string
  readonly #known = new Map<string, number>()

  constructor({ engine, scope, revisions }: ExpansionSource, { reverse, to, page }: ListExpansion) {
    this.#totals = engine.lists.reverseTotals
    const asked = [reverse.target, to.table, to.schemaHash, reverse.through, page.statuses]
    this.#question = variantOf(asked, scope.variant([to]), revisions)
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
function throughOf({ key, comparables, manyValued }: CollectionModel, path: string): Through {
  const one = comparables.get(path) ?? comparables.get(`${path}.id`)
  const collection = comparables.get(`${path}.collection`)
  if (one) return { kind: 'one', by: one, ...(one.part && collection ? { collection } : {}) }
  const many = manyValued.get(path) ?? manyValued.get(`${path}.id`)
  if (!many) throw new Error(`${key}.${path} has no index`)
  return { kind: 'many', by: many }
}

/** The JSON text of a page of a reverse field: a list response of the collection that refers. */
export function formatPage(
  { to, reverse, page }: ListExpansion,
  id: string,
  found: FoundPage | undefined,
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
  { sort, statuses }: ListExpansion['page'],
  id: string,
): string {
  const { by, kind } = throughOf(to, through)
  const operator = kind === 'one' ? 'eq' : 'in'
  return listFingerprint(to, { sort, statuses, where: JSON.stringify([[`where[${by.path}][${operator}]`, [id]]]) })
}
