import type { Field } from '../fields/field.ts'

import type { CollectionModel } from '../model/model.ts'
import { type SearchTerm, toSearchText } from './search-text.ts'

/** The column that holds an entry's status, so that a search counts only what its reader may see. */
const STATUS_COLUMN = 'status'

const column = (key: string): string => `f_${key}`

/** The columns of a collection's search table, in order. */
export function searchColumns(collection: CollectionModel): readonly string[] {
  return [STATUS_COLUMN, ...collection.searchable.map(({ key }) => column(key))]
}

/** What an entry is found by, column by column. */
export function searchValues(
  collection: CollectionModel,
  doc: Readonly<Record<string, unknown>>,
  status: string | null,
): Readonly<Record<string, string>> {
  const values: Record<string, string> = { [STATUS_COLUMN]: status === null ? '' : statusWord(status) }
  for (const { key } of collection.searchable) {
    const field = collection.fieldMap[key]
    if (field) values[column(key)] = toSearchText(wordsOf(field, doc[key]).join(' '))
  }
  return values
}

/** A status as one word that no text contains by chance. */
function statusWord(status: string): string {
  return `s${Buffer.from(status).toString('hex')}`
}

/** All words inside a value, however deep they lie. */
function wordsOf(field: Field, value: unknown): readonly string[] {
  // An older config may have written another type of value.
  if (value === null || value === undefined || !field.type.accepts(value, field.options)) return []
  const found: string[] = []
  const own = field.type.words?.(value, field.options)
  if (own) found.push(own)
  field.type.walk?.(value, field.options, {
    value: (child, childValue) => {
      found.push(...wordsOf(child, childValue))
      return childValue
    },
    generated: () => {},
  })
  return found
}

/** What a search asks of the index. */
export interface SearchQuery {
  readonly terms: readonly SearchTerm[]
  /** Top-level fields whose words the reader may find. */
  readonly fields: readonly string[]
  /** `undefined`: entries of any status. */
  readonly statuses: readonly string[] | undefined
}

/**
 * The query in FTS5's language. Words consist of letters and digits only and stand in quotes, so nothing
 * that a reader writes is taken for an operator. `undefined`: nothing can match.
 */
export function toMatch({ terms, fields, statuses }: SearchQuery): string | undefined {
  if (terms.length === 0 || fields.length === 0 || statuses?.length === 0) return undefined
  const scope = scoped(fields, terms)
  return statuses ? `(${ofStatus(statuses)}) AND (${scope})` : scope
}

/** The same set for counting. Leaving out the few of other statuses is faster than looking each up among the many. */
export function toCountMatch(search: SearchQuery, { status }: CollectionModel): string | undefined {
  const match = toMatch(search)
  const { terms, fields, statuses } = search
  if (match === undefined || !statuses || !status) return match
  const others = status.values.filter((one) => !statuses.includes(one))
  const scope = scoped(fields, terms)
  return others.length > 0 ? `(${scope}) NOT (${ofStatus(others)})` : scope
}

/**
 * What lifts a match: each word that stands in a heavier field, and by how much. With several words, each is asked for
 * among those that have them all, so that a rare one keeps the others short.
 */
export function toBoosts({ terms, fields }: SearchQuery, { searchable }: CollectionModel): readonly Boost[] {
  const own = searchable.filter(({ key }) => fields.includes(key))
  const levels = [...new Set(own.map(({ weight }) => weight))].sort((a, b) => a - b)
  const among = terms.length > 1 ? `(${scoped(fields, terms)}) AND ` : ''
  return levels.slice(1).flatMap((level, index) => {
    const heavy = own.filter(({ weight }) => weight >= level).map(({ key }) => key)
    const lift = level - (levels[index] ?? 0)
    return terms.slice(0, MAX_BOOSTED).map((term) => [`${among}(${scoped(heavy, [term])})`, lift] as const)
  })
}

/** A query in FTS5's language, and what a match of it adds. */
export type Boost = readonly [match: string, weight: number]

/** The most words of a question that decide the order. */
const MAX_BOOSTED = 8
/** Beginnings up to this length, in characters, have lists of their own in the search table. */
const MAX_INDEXED_PREFIX = 3
/** The most words that a beginning is replaced by; FTS5 looks at each for each match. */
export const MAX_EXPANDED = 256

const scoped = (fields: readonly string[], terms: readonly SearchTerm[]): string =>
  `{${fields.map(column).join(' ')}} : (${terms.map(termMatch).join(' AND ')})`

const ofStatus = (statuses: readonly string[]): string =>
  `${STATUS_COLUMN} : (${statuses.map((one) => `"${statusWord(one)}"`).join(' OR ')})`

const termMatch = ({ word, prefix }: SearchTerm): string => `"${word}"${prefix ? '*' : ''}`

/**
 * The last word that is too long a beginning to have a list of its own, as it stands in a query, and the stored words
 * that it may stand for. FTS5 itself would put the whole lists of all of them together, however few matches are wanted.
 */
export function expandable(search: SearchQuery | undefined): Readonly<Record<'prefix' | 'from' | 'to', string>> {
  const term = search?.terms.findLast(({ prefix, word }) => prefix && [...word].length > MAX_INDEXED_PREFIX)
  return term
    ? { prefix: termMatch(term), from: term.word, to: `${term.word}\u{10ffff}` }
    : { prefix: '', from: '', to: '' }
}
