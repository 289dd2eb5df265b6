import type { Field } from '../fields/field.ts'
import { MAX_SEARCH_FILTER_LENGTH } from '../model/filterable-fields.ts'
import type { CollectionModel } from '../model/model.ts'
import { type Condition, conjuncts } from '../query/where.ts'
import { type SearchTerm, splitWords } from './search-words.ts'
import { valueAt } from './tables/document-values.ts'

/** The query of a search. */
export interface SearchQuery {
  readonly terms: readonly SearchTerm[]
  /** Top-level fields whose words the reader may find. */
  readonly fields: readonly string[]
  /** `undefined`: entries of any status. */
  readonly statuses: readonly string[] | undefined
  /** Words of values: an entry has one of each list. */
  readonly filterWords: readonly (readonly string[])[]
}

/** The words beside those of texts: an entry has one of each list. */
export const listMarks = ({ statuses, filterWords: facets }: SearchQuery): readonly (readonly string[])[] =>
  statuses ? [statuses.map(statusWord), ...facets] : facets

/** Whether a search can find anything. */
export const canMatch = ({ terms, fields, statuses }: SearchQuery): boolean =>
  terms.length > 0 && fields.length > 0 && statuses?.length !== 0

/** The words that an entry is found by, of each searchable field, once each. */
export function collectWords(
  { searchable, fieldMap }: CollectionModel,
  doc: Readonly<Record<string, unknown>>,
): readonly FieldWords[] {
  const words = searchable.flatMap(({ key }) => {
    const field = fieldMap[key]
    return field ? [[key, splitWords(wordsOfField(field, doc[key]).join(' '))] as const] : []
  })
  return words.reduce((sum, [, one]) => sum + one.size, 0) > MANY_WORDS ? cutWords(words) : words
}

/** The words of a field. */
type FieldWords = readonly [key: string, words: Iterable<string>]

/** PostgreSQL's bound for the different words of one entry is 1 MiB; what comes after that much is found on no store. */
const MAX_WORDS_BYTES = 1_000_000
/** The bytes that a store may add to a word of each field. */
const WORD_EXTRA = 3
/** So many words have room, however long they are: at most 64 characters of three bytes each. */
const MANY_WORDS = 5000

/** Words as far as there is room for them. */
function cutWords(fields: readonly FieldWords[]): readonly FieldWords[] {
  let room = MAX_WORDS_BYTES
  return fields.map(([key, words]) => {
    const kept: string[] = []
    for (const word of words) {
      room -= Buffer.byteLength(word) + WORD_EXTRA
      if (room < 0) break
      kept.push(word)
    }
    return [key, kept]
  })
}

/** A status as one word that no text contains by chance. */
export function statusWord(status: string): string {
  return `s${Buffer.from(status).toString('hex')}`
}

/** All words inside a value, however deep they lie. */
function wordsOfField(field: Field, value: unknown): readonly string[] {
  // An older config may have written another type of value.
  if (value === null || value === undefined || !field.type.accepts(value, field.options)) return []
  const found: string[] = []
  const own = field.type.search?.(field.options)?.words(value)
  if (own) found.push(own)
  field.type.walk?.(value, field.options, {
    value: (child, childValue) => {
      found.push(...wordsOfField(child, childValue))
      return childValue
    },
    generated: () => {},
  })
  return found
}

/** A word that lifts a match when it stands in one of these fields, and by how much. */
export interface Boost {
  readonly fields: readonly string[]
  readonly term: SearchTerm
  readonly lift: number
}

/** The most words of a question that decide the order. */
const MAX_BOOSTED = 8

/** The boosts of a match: each word in a heavier field. */
export function toBoosts({ terms, fields }: SearchQuery, { searchable }: CollectionModel): readonly Boost[] {
  const own = searchable.filter(({ key }) => fields.includes(key))
  const levels = [...new Set(own.map(({ weight }) => weight))].sort((a, b) => a - b)
  return levels.slice(1).flatMap((level, index) => {
    const heavy = own.filter(({ weight }) => weight >= level).map(({ key }) => key)
    const lift = level - (levels[index] ?? 0)
    return terms.slice(0, MAX_BOOSTED).map((term) => ({ fields: heavy, term, lift }))
  })
}

/** Words that all stand in some of these fields. */
export interface PlacedTerms {
  readonly fields: readonly string[]
  readonly terms: readonly SearchTerm[]
}

/** Where the words of the most relevant matches stand: those with every boost. */
export function bestPlaces({ terms, fields }: SearchQuery, { searchable }: CollectionModel): readonly PlacedTerms[] {
  const own = searchable.filter(({ key }) => fields.includes(key))
  const greatest = Math.max(...own.map(({ weight }) => weight))
  const heaviest = own.filter(({ weight }) => weight === greatest).map(({ key }) => key)
  const places = [
    { fields: heaviest, terms: terms.slice(0, MAX_BOOSTED) },
    { fields, terms: terms.slice(MAX_BOOSTED) },
  ]
  return places.filter((one) => one.terms.length > 0)
}

/** The most lists of words, and the most words of one, that narrow a search; what is beyond is left to the filter. */
const MAX_NARROWING = 16

type Equality = Extract<Condition, { kind: 'compare' }>

const facetWord = (place: number, value: string | number | boolean): string =>
  `f${place}x${Buffer.from(String(value)).toString('hex')}`

const isFacetValue = (value: unknown): value is string | boolean =>
  typeof value === 'boolean' || (typeof value === 'string' && value.length <= MAX_SEARCH_FILTER_LENGTH)

/** The values of an entry that a search can be narrowed by, as words that no text contains by chance. */
export function toFilterWords(
  { searchFilters: facets }: CollectionModel,
  doc: Readonly<Record<string, unknown>>,
): readonly string[] {
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
    const words = facets.length < MAX_NARROWING ? wordsOfEquality(collection, equality) : undefined
    if (words) facets.push(words)
    else if (equality?.by.column === 'status')
      statuses = (statuses ?? collection.status?.values)?.filter((one) => equality.values.includes(one))
    else rest.push(part)
  }
  const [only] = rest
  return {
    search: { ...search, statuses, filterWords: facets },
    where: rest.length > 1 ? { kind: 'all', of: rest } : only,
  }
}

/** Returns the comparison if a condition requires one of a few values; `undefined` for any other condition. */
function equalityOf(condition: Condition): Equality | undefined {
  if (condition.kind !== 'compare' || condition.negated || condition.values.length > MAX_NARROWING) return undefined
  const { keys } = condition.operator
  return keys === 'one' || keys === 'several' ? condition : undefined
}

function wordsOfEquality(
  { searchFilters: facets }: CollectionModel,
  equality: Equality | undefined,
): readonly string[] | undefined {
  const place = equality ? facets.indexOf(equality.by) : -1
  if (!equality || place < 0 || !equality.values.every(isFacetValue)) return undefined
  return equality.values.map((value) => facetWord(place, value))
}
