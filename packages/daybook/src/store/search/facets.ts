import { MAX_FACET_LENGTH } from '../../model/facets.ts'
import type { CollectionModel } from '../../model/model.ts'
import { type Condition, conjuncts } from '../../query/where.ts'
import { valueAt } from '../tables/members.ts'
import type { SearchQuery } from './search.ts'

/** The most lists of words, and the most words of one, that narrow a search; what is beyond is left to the filter. */
const MAX_NARROWING = 16

type Equality = Extract<Condition, { kind: 'compare' }>

const facetWord = (place: number, value: string | number | boolean): string =>
  `f${place}x${Buffer.from(String(value)).toString('hex')}`

const isFacetValue = (value: unknown): value is string | boolean =>
  typeof value === 'boolean' || (typeof value === 'string' && value.length <= MAX_FACET_LENGTH)

/** The values of an entry that a search can be narrowed by, as words that no text contains by chance. */
export function facetWords({ facets }: CollectionModel, doc: Readonly<Record<string, unknown>>): readonly string[] {
  return facets.flatMap(({ path }, place) => {
    const value = valueAt(doc, path)
    return isFacetValue(value) ? [facetWord(place, value)] : []
  })
}

/** A search, and the filter on what it finds. */
export interface NarrowedSearch {
  readonly search: SearchQuery
  readonly where: Condition | undefined
}

/** Moves equalities of a filter into the search, as words: the index leads to what holds both, and no entry is read for it. */
export function narrowSearch(
  collection: CollectionModel,
  search: SearchQuery,
  where: Condition | undefined,
): NarrowedSearch {
  if (!where) return { search, where }
  const rest: Condition[] = []
  const facets: (readonly string[])[] = []
  let { statuses } = search
  for (const part of conjuncts(where)) {
    const equality = equalityOf(part)
    const words = facets.length < MAX_NARROWING ? wordsOf(collection, equality) : undefined
    if (words) facets.push(words)
    else if (equality?.by.column === 'status')
      statuses = (statuses ?? collection.status?.values)?.filter((one) => equality.values.includes(one))
    else rest.push(part)
  }
  const [only] = rest
  return {
    search: { ...search, statuses, facets },
    where: rest.length > 1 ? { kind: 'all', of: rest } : only,
  }
}

/** What a condition compares, and the values of which it asks for one; undefined where it asks for anything else. */
function equalityOf(condition: Condition): Equality | undefined {
  if (condition.kind !== 'compare' || condition.negated || condition.values.length > MAX_NARROWING) return undefined
  const { keys } = condition.operator
  return keys === 'one' || keys === 'several' ? condition : undefined
}

function wordsOf({ facets }: CollectionModel, equality: Equality | undefined): readonly string[] | undefined {
  const place = equality ? facets.indexOf(equality.by) : -1
  if (!equality || place < 0 || !equality.values.every(isFacetValue)) return undefined
  return equality.values.map((value) => facetWord(place, value))
}
