import type { Comparable } from './model.ts'

/** The most fields whose values stand in the search index: all of them take a twentieth of what an entry may have there. */
const MAX_FACETS = 64
/** The longest texts that repeat often enough to be worth it, in characters. */
export const MAX_FACET_LENGTH = 64

const isFacet = ({ column, part, scalar, isDate, isText, maxLength = Number.POSITIVE_INFINITY }: Comparable): boolean =>
  !column && !part && !isDate && scalar !== 'number' && (!isText || maxLength <= MAX_FACET_LENGTH)

/** The fields by whose values a search can be narrowed. */
export const facetsAmong = (comparables: Iterable<Comparable>): readonly Comparable[] =>
  [...comparables].filter(isFacet).slice(0, MAX_FACETS)
