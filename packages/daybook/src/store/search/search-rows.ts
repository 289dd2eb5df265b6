import type { StatementValues } from '../compile.ts'
import type { SearchDialect } from '../dialect.ts'

/** Makes search rows; locales that show the same value of an entry have one. */
export function searchRows(search: SearchDialect): SearchDialect['row'] {
  const known = new WeakMap<object, StatementValues>()
  return (collection, value, status) => {
    const row = known.get(value) ?? search.row(collection, value, status)
    known.set(value, row)
    return row
  }
}
