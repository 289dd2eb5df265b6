import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'

// Assertions for every response. One of the test runner takes as long as a request, so it runs only if it fails.

/** `expect(actual, what).toBe(expected)` */
export function requireSame(actual: unknown, expected: unknown, what: string): void {
  if (!Object.is(actual, expected)) expect(actual, what).toBe(expected)
}

/** `expect(text, what).toMatch(pattern)` */
export function requireMatch(text: unknown, pattern: RegExp, what: string): void {
  if (typeof text !== 'string' || !pattern.test(text)) expect(text, what).toMatch(pattern)
}

/** `expect(actual, what).toEqual(expected)` */
export function requireEqual(actual: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, what).toEqual(expected)
}
