import type { CollectionModel } from '../../model/model.ts'
import { type Condition, conjuncts } from '../../query/where.ts'
import { valueAt } from '../tables/members.ts'
import type { SearchQuery } from './search.ts'

/** The longest value that is kept as a word, in characters. */
const MAX_FACET_VALUE = 64
/** The most lists of words, and the most words of one, that narrow a search; what is beyond is left to the filter. */
const MAX_NARROWING = 16

/** What a filter compares with. */
type Value = string | number | boolean

const facetWord = (place: number, value: Value): string => `f${place}x${Buffer.from(String(value)).toString('hex')}`

const isFacetValue = (value: unknown): value is string | boolean =>
  typeof value === 'boolean' || (typeof value === 'string' && value.length <= MAX_FACET_VALUE)

/** The values of an entry that a search can be narrowed by, as words that no text contains by chance. */
export function facetWords({ facets }: CollectionModel, doc: Readonly<Record<string, unknown>>): readonly string[] {
  return facets.flatMap(({ path }, place) => {
    const value = valueAt(doc, path)
    return isFacetValue(value) ? [facetWord(place, value)] : []
  })
}

/** A search, and the condition that what it finds must hold. */
interface Narrowed {
  readonly search: SearchQuery | undefined
  readonly where: Condition | undefined
}

/** The same question with equalities as words of the search: the index leads to what holds both, and no entry is looked at. */
export function narrowSearch<Query extends Narrowed>(collection: CollectionModel, query: Query): Query {
  const { search, where } = query
  if (!search || !where) return query
  const rest: Condition[] = []
  const facets: (readonly string[])[] = []
  let { statuses } = search
  for (const part of conjuncts(where)) {
    const values = equalsAny(part)
    const words = values && facets.length < MAX_NARROWING && facetsOf(collection, part, values)
    if (words) facets.push(words)
    else if (values && part.kind === 'compare' && part.by.column === 'status')
      statuses = (statuses ?? collection.status?.values)?.filter((one) => values.includes(one))
    else rest.push(part)
  }
  const [only] = rest
  return {
    ...query,
    search: { ...search, statuses, facets },
    where: rest.length > 1 ? { kind: 'all', of: rest } : only,
  }
}

/** The values of which a condition asks for one. */
function equalsAny(condition: Condition): readonly Value[] | undefined {
  if (condition.kind !== 'compare' || condition.negated) return undefined
  const { operator, values } = condition
  return (operator === 'eq' || operator === 'in') && values.length <= MAX_NARROWING ? values : undefined
}

function facetsOf(
  { facets }: CollectionModel,
  condition: Condition,
  values: readonly Value[],
): readonly string[] | undefined {
  const place = condition.kind === 'compare' ? facets.indexOf(condition.by) : -1
  return place >= 0 && values.every(isFacetValue) ? values.map((value) => facetWord(place, value)) : undefined
}
