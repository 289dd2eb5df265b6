import { expect } from 'vitest'
import type { Step } from '../../support/scenarios/scenario.ts'
import { get, refused, slugs } from '../../support/scenarios/steps.ts'

/** Returns the path of a filtered list of books, sorted by slug. */
export const path = (filter: string): string => `/api/books?sort=slug&${filter}`

/** Returns a step with a filter and the slugs of the books that it finds. */
export const finds = (filter: string, expected: string, extra: Partial<Step> = {}): Step => {
  const foundSlugs = expected === '' ? [] : expected.split('')
  return get(path(filter), { body: { total: foundSlugs.length, ...slugs(...foundSlugs) }, ...extra })
}

/** Like `finds`, for a caller with a session. */
export const findsAll = (filter: string, expected: string): Step => finds(filter, expected, { auth: true })

/** The response for an unknown field, which hidden fields must get, too. */
export const unknownTo = (field: string, auth = false, operator = 'eq', value = 'x'): Step =>
  get(`/api/books?where[${field}][${operator}]=${encodeURIComponent(value)}`, {
    auth,
    status: 400,
    exactly: {
      code: 'VALIDATION_ERROR',
      message: `Filtering by "${field}" is not possible.`,
      details: {
        issues: [
          {
            path: `where[${field}]`,
            code: 'unknown_field',
            params: { name: field },
            message: `Filtering by "${field}" is not possible.`,
          },
        ],
      },
      requestId: expect.any(String),
    },
  })

/** Returns a step with a filter that is rejected by name. */
export const bad = (filter: string, param = filter.split('=')[0] ?? ''): Step => refused(`/api/books?${filter}`, param)
