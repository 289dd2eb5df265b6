import type { Field } from '../fields/field.ts'
import { MAX_SEARCH_FILTER_LENGTH } from '../model/filterable-fields.ts'
import type { CollectionModel } from '../model/model.ts'
import { type Condition, conjuncts } from '../query/where.ts'
import { type SearchTerm, splitWords } from './search-words.ts'
import { valueAt } from './tables/document-values.ts'

export interface SearchQuery {
  readonly terms: readonly SearchTerm[]
  /** The top-level fields in which the caller can search. */
  readonly fields: readonly string[]
  /** `undefined` for any status. */
  readonly statuses: readonly string[] | undefined
  /** Words of filter values: an entry must have one of each list. */
  readonly filterWords: readonly (readonly string[])[]
}

/** Returns the words of statuses and filter values: an entry must have one of each list. */
export const listMarks = ({ statuses, filterWords }: SearchQuery): readonly (readonly string[])[] =>
  statuses ? [statuses.map(statusWord), ...filterWords] : filterWords

/** True if a search can match anything. */
export const canMatch = ({ terms, fields, statuses }: SearchQuery): boolean =>
  terms.length > 0 && fields.length > 0 && statuses?.length !== 0

/** Collects the distinct words of each searchable field of an entry. */
export function collectWords(
  { searchable, fieldMap }: CollectionModel,
  doc: Readonly<Record<string, unknown>>,
): readonly FieldWords[] {
  const words = searchable.flatMap(({ key }) => {
    const field = fieldMap[key]
    return field ? [[key, splitWords(collectTexts(field, doc[key]).join(' '))] as const] : []
  })
  return words.reduce((sum, [, fieldWords]) => sum + fieldWords.size, 0) > MANY_WORDS ? cutWords(words) : words
}

type FieldWords = readonly [key: string, words: Iterable<string>]

/** The maximum total size of an entry's words. PostgreSQL's limit is 1 MiB; both engines drop the words beyond it. */
const MAX_WORDS_BYTES = 1_000_000
/** The bytes that an engine may add to each word for its field. */
const WORD_EXTRA = 3
/** A number of words that always fits: each has at most 64 characters of three bytes. */
const MANY_WORDS = 5000

/** Drops the words beyond {@link MAX_WORDS_BYTES}. */
function cutWords(fields: readonly FieldWords[]): readonly FieldWords[] {
  let room = MAX_WORDS_BYTES
  return fields.map(([key, words]) => {
    const fitting: string[] = []
    for (const word of words) {
      room -= Buffer.byteLength(word) + WORD_EXTRA
      if (room < 0) break
      fitting.push(word)
    }
    return [key, fitting]
  })
}

/** Encodes a status as a word that no text contains by chance. */
export function statusWord(status: string): string {
  return `s${Buffer.from(status).toString('hex')}`
}

/** Collects the texts inside a value at any depth. */
function collectTexts(field: Field, value: unknown): readonly string[] {
  // An older config may have written another type of value.
  if (value === null || value === undefined || !field.type.accepts(value, field.options)) return []
  const texts: string[] = []
  const text = field.type.search?.(field.options)?.words(value)
  if (text) texts.push(text)
  field.type.walk?.(value, field.options, {
    value: (child, childValue) => {
      texts.push(...collectTexts(child, childValue))
      return childValue
    },
    generated: () => {},
  })
  return texts
}

/** A word that raises the relevance of a match if it occurs in one of these fields. */
export interface Boost {
  readonly fields: readonly string[]
  readonly term: SearchTerm
  readonly lift: number
}

/** The maximum number of words of a search that affect relevance. */
const MAX_BOOSTED = 8

/** Returns the boosts of a search: each word in fields of greater weight. */
export function toBoosts({ terms, fields }: SearchQuery, { searchable }: CollectionModel): readonly Boost[] {
  const searched = searchable.filter(({ key }) => fields.includes(key))
  const levels = [...new Set(searched.map(({ weight }) => weight))].sort((a, b) => a - b)
  return levels.slice(1).flatMap((level, index) => {
    const heavy = searched.filter(({ weight }) => weight >= level).map(({ key }) => key)
    const lift = level - (levels[index] ?? 0)
    return terms.slice(0, MAX_BOOSTED).map((term) => ({ fields: heavy, term, lift }))
  })
}

/** Words that must all occur in some of these fields. */
export interface PlacedTerms {
  readonly fields: readonly string[]
  readonly terms: readonly SearchTerm[]
}

/** Returns the fields in which the most relevant matches, those with every boost, have the words. */
export function bestPlaces({ terms, fields }: SearchQuery, { searchable }: CollectionModel): readonly PlacedTerms[] {
  const searched = searchable.filter(({ key }) => fields.includes(key))
  const greatest = Math.max(...searched.map(({ weight }) => weight))
  const heaviest = searched.filter(({ weight }) => weight === greatest).map(({ key }) => key)
  const places = [
    { fields: heaviest, terms: terms.slice(0, MAX_BOOSTED) },
    { fields, terms: terms.slice(MAX_BOOSTED) },
  ]
  return places.filter((place) => place.terms.length > 0)
}

/** The maximum number of lists of words, and of words in one, that narrow a search; the filter handles the rest. */
const MAX_NARROWING = 16

type Equality = Extract<Condition, { kind: 'compare' }>

const facetWord = (place: number, value: string | number | boolean): string =>
  `f${place}x${Buffer.from(String(value)).toString('hex')}`

const isFacetValue = (value: unknown): value is string | boolean =>
  typeof value === 'boolean' || (typeof value === 'string' && value.length <= MAX_SEARCH_FILTER_LENGTH)

/** Encodes the values of an entry that can narrow a search as words that no text contains by chance. */
export function toFilterWords(
  { searchFilters }: CollectionModel,
  doc: Readonly<Record<string, unknown>>,
): readonly string[] {
  return searchFilters.flatMap(({ path }, place) => {
    const value = valueAt(doc, path)
    return isFacetValue(value) ? [facetWord(place, value)] : []
  })
}

/** A search, and the remaining filter on its matches. */
export interface NarrowedSearch {
  readonly search: SearchQuery
  readonly where: Condition | undefined
}

/** Moves equalities of a filter into the search, as words, so that the search index finds entries that match both. */
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
    const equality = asEquality(part)
    const words = facets.length < MAX_NARROWING ? toEqualityWords(collection, equality) : undefined
    if (words) facets.push(words)
    else if (equality?.by.column === 'status')
      statuses = (statuses ?? collection.status?.values)?.filter((status) => equality.values.includes(status))
    else rest.push(part)
  }
  const [only] = rest
  return {
    search: { ...search, statuses, filterWords: facets },
    where: rest.length > 1 ? { kind: 'all', of: rest } : only,
  }
}

/** Returns the comparison if a condition requires one of a few values; `undefined` for any other condition. */
function asEquality(condition: Condition): Equality | undefined {
  if (condition.kind !== 'compare' || condition.negated || condition.values.length > MAX_NARROWING) return undefined
  const { keys } = condition.operator
  return keys === 'one' || keys === 'several' ? condition : undefined
}

function toEqualityWords(
  { searchFilters }: CollectionModel,
  equality: Equality | undefined,
): readonly string[] | undefined {
  const place = equality ? searchFilters.indexOf(equality.by) : -1
  if (!equality || place < 0 || !equality.values.every(isFacetValue)) return undefined
  return equality.values.map((value) => facetWord(place, value))
}
