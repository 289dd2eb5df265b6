import type { Field } from '../../fields/field.ts'
import type { CollectionModel } from '../../model/model.ts'
import { type SearchTerm, searchWords } from './search-text.ts'

/** The query of a search. */
export interface SearchQuery {
  readonly terms: readonly SearchTerm[]
  /** Top-level fields whose words the reader may find. */
  readonly fields: readonly string[]
  /** `undefined`: entries of any status. */
  readonly statuses: readonly string[] | undefined
  /** Words of values: an entry has one of each list. */
  readonly facets: readonly (readonly string[])[]
}

/** The words beside those of texts: an entry has one of each list. */
export const marksOf = ({ statuses, facets }: SearchQuery): readonly (readonly string[])[] =>
  statuses ? [statuses.map(statusWord), ...facets] : facets

/** Whether a search can find anything. */
export const canMatch = ({ terms, fields, statuses }: SearchQuery): boolean =>
  terms.length > 0 && fields.length > 0 && statuses?.length !== 0

/** The words that an entry is found by, of each searchable field, once each. */
export function entryWords(
  { searchable, fieldMap }: CollectionModel,
  doc: Readonly<Record<string, unknown>>,
): readonly FieldWords[] {
  const words = searchable.flatMap(({ key }) => {
    const field = fieldMap[key]
    return field ? [[key, searchWords(wordsOfField(field, doc[key]).join(' '))] as const] : []
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
export interface Placed {
  readonly fields: readonly string[]
  readonly terms: readonly SearchTerm[]
}

/** Where the words of the most relevant matches stand: those with every boost. */
export function bestPlaces({ terms, fields }: SearchQuery, { searchable }: CollectionModel): readonly Placed[] {
  const own = searchable.filter(({ key }) => fields.includes(key))
  const greatest = Math.max(...own.map(({ weight }) => weight))
  const heaviest = own.filter(({ weight }) => weight === greatest).map(({ key }) => key)
  const places = [
    { fields: heaviest, terms: terms.slice(0, MAX_BOOSTED) },
    { fields, terms: terms.slice(MAX_BOOSTED) },
  ]
  return places.filter((one) => one.terms.length > 0)
}
