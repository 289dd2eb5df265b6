import { f } from 'daybook'
import { describe, expect, test } from 'vitest'
import type { Made } from '../support/stores/place.ts'
import { STORES } from '../support/stores/stores.ts'
import { FIRST_TABLES } from './first-tables.ts'

const config = {
  locales: { default: 'en', available: ['en', 'de'] },
  collections: { posts: { fields: { title: f.text({ localized: true }) } } },
}

/** What later versions made besides. */
const LATER: readonly string[] = [
  'daybook$journal_deletions',
  'daybook$journal_of',
  'daybook$schedules_due',
  'daybook$migrations',
  'daybook$schedules',
  'daybook$tallies',
]
/** The columns that later versions added. */
const LATER_COLUMNS = / (?:created_by|updated_by|draft_seq|folded) [^,]+,/g

/** How something is made, however it was written down. */
const plain = ({ name, type, sql }: Made): Made => ({
  name,
  type,
  sql: sql?.replaceAll(/["\n]/g, '').replaceAll(/\s+/g, ' ').replaceAll('( ', '(') ?? null,
})

/** The same with the names that the first version had for its columns. */
const named = (sql: string): string => sql.replace(' schema_hash ', ' shape ').replace(' orphaned ', ' kept ')

describe.each(STORES)('on $name', (store) => {
  test('tables are made as the first version made them', async () => {
    await using first = await store.at()
    await using now = await store.at()
    await first.exec(FIRST_TABLES[store.name])
    await now.start(config)
    const expected = (await first.schema()).map(plain)
    const names = new Set(expected.map(({ name }) => name))
    const made = (await now.schema())
      .map(plain)
      .map((one) => ({ ...one, sql: one.sql && named(one.sql.replaceAll(LATER_COLUMNS, '')) }))
    expect(made.filter(({ name }) => names.has(name))).toEqual(expected)
    const isLater = (name: string): boolean =>
      name.startsWith('daybook$') && !names.has(name) && !name.endsWith('_pkey')
    const others = made.filter(({ name }) => isLater(name))
    expect(others.map(({ name }) => name)).toEqual(LATER)
  })
})
