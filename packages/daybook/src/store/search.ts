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

/** What counts how much: a word in a title outranks one in a text. */
export function searchWeights(collection: CollectionModel): readonly number[] {
  return [0, ...collection.searchable.map(({ weight }) => weight)]
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
  const words = terms.map(({ word, prefix }) => `"${word}"${prefix ? '*' : ''}`).join(' AND ')
  const scope = `{${fields.map(column).join(' ')}} : (${words})`
  if (!statuses) return scope
  return `(${STATUS_COLUMN} : (${statuses.map((one) => `"${statusWord(one)}"`).join(' OR ')})) AND (${scope})`
}
