import type { CollectionModel } from '../../model/model.ts'
import { DEFAULT_SEARCH_LIMIT, type SearchParameters } from '../../query/cross-collection.ts'
import { unknownCollection } from '../../query/parameters.ts'
import type { Access } from '../access/access.ts'
import { type CallerScope, resolveCallerScope } from '../access/caller-scope.ts'
import type { ContentContext } from '../context.ts'
import { requireLocale } from '../locales/locale.ts'
import { resolveSearch } from './list.ts'
import { type TitledEntry, toTitledEntry } from './titled-entry.ts'

/** The most entries of one collection that are answered. */
const MAX_OF_EACH = 10
/** How many collections are searched at a time. */
const AT_ONCE = 8
/** How many entries are there is not counted: a search of many collections reads a page of each, and no more. */
const UNCOUNTED = { found: 0, visible: 0, all: 0 }

/**
 * Searches all collections that a reader may read: the best match of each comes first, then the second best of each. Where so many
 * collections have matches that their best ones fill the answer, no more collections are searched.
 *
 * @throws VALIDATION_ERROR; INTERNAL_ERROR when a rule fails
 */
export async function searchCollections(
  engine: ContentContext,
  access: Access,
  asked: SearchParameters,
): Promise<readonly TitledEntry[]> {
  const { q = '', limit = DEFAULT_SEARCH_LIMIT } = asked
  const scope = await resolveCallerScope(access, requireLocale(engine.model, asked, access))
  const searched = requireReadable(scope, asked.collections)
  const found: (readonly TitledEntry[])[] = []
  for (let at = 0; at < searched.length && found.length < limit; at += AT_ONCE) {
    const some = searched.slice(at, at + AT_ONCE)
    const matches = await Promise.all(some.map((one) => matchesIn(engine, scope, one, q, Math.min(limit, MAX_OF_EACH))))
    found.push(...matches.filter((one) => one.length > 0))
  }
  return inTurn(found).slice(0, limit)
}

/** @throws VALIDATION_ERROR for a collection that the reader may not read */
function requireReadable(scope: CallerScope, keys: readonly string[] | undefined): readonly CollectionModel[] {
  const all = [...scope.collections.keys()].flatMap((key) => scope.readableCollection(key) ?? [])
  const unknown = keys?.find((key) => all.every((one) => one.key !== key))
  if (unknown !== undefined) throw unknownCollection(unknown)
  return keys ? all.filter(({ key }) => keys.includes(key)) : all
}

async function matchesIn(
  engine: ContentContext,
  scope: CallerScope,
  collection: CollectionModel,
  words: string,
  limit: number,
): Promise<readonly TitledEntry[]> {
  const hidden = scope.hiddenFields(collection)
  const visible = scope.narrow(collection, undefined)
  const { rows } = await engine.store.read.lists.page(collection, {
    ...resolveSearch(collection, words, visible, hidden),
    statuses: visible.statuses,
    sort: [],
    limit,
    offset: 0,
    after: undefined,
    hasAuthors: false,
    size: UNCOUNTED,
  })
  return rows.map((row) => toTitledEntry(collection, row, hidden))
}

/** The first of each, then the second of each, and so on. */
function inTurn<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat()
}
