import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import { expect } from 'vitest'
import type { Pair } from '../../support/stores/pair.ts'

export const encode = encodeURIComponent

/** Creates an entry on both stores. */
export const make = (pair: Pair, collection: string, json: object, keep = 'id'): Promise<{ readonly status: number }> =>
  pair.same(`/api/${collection}`, { method: 'POST', json, keep: { [keep]: '/id', [`${keep}Tag`]: 'etag' } })

const OPERATORS = ['eq', 'ne', 'in', 'nin', 'lt', 'lte', 'gt', 'gte', 'startsWith', 'contains', 'exists', 'all', 'like']

/** Filters by each operator with each value, on some fields. */
export async function compareFilters(
  pair: Pair,
  collection: string,
  fields: readonly string[],
  values: readonly string[],
): Promise<void> {
  for (const field of fields) {
    for (const operator of OPERATORS) {
      for (const value of values) {
        await pair.same(`/api/${collection}?limit=100&sort=id&where[${field}][${operator}]=${encode(value)}`, {
          auth: true,
        })
      }
    }
  }
}

/** Sorts by each field in both directions, and reads page by page. */
export async function comparePages(
  pair: Pair,
  collection: string,
  fields: readonly string[],
  count: number,
): Promise<void> {
  for (const field of fields.flatMap((key) => [key, `-${key}`])) {
    expect(await pair.walk(`/api/${collection}?limit=3&sort=${field}`, { auth: true }), field).toBe(count)
  }
}

/** Texts and numbers that engines store differently. */
export const extremes: DaybookConfig = defineConfig({
  collections: {
    values: defineCollection({
      fields: {
        name: f.text({ unique: true }),
        long: f.text({ index: false }),
        link: f.url({ unique: true }),
        number: f.number(),
        integer: f.integer({ unique: true }),
        data: f.json(),
      },
    }),
  },
})
