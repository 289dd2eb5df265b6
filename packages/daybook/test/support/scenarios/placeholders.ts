import type { TestResponse } from './transports.ts'

/** Values that a step saves for later steps, by name. */
export type SavedValues = Readonly<Record<string, string>>

/** Replaces `{name}` in a text by the saved value. Other braces stay. */
export function fillText(text: string, saved: SavedValues): string {
  return text.replace(/\{(\w+)\}/g, (all, name: string) => (Object.hasOwn(saved, name) ? String(saved[name]) : all))
}

/** Like {@link fillText}, in every text of a JSON value. Matchers of the test runner stay. */
export function fill(value: unknown, saved: SavedValues): unknown {
  if (typeof value === 'string') return fillText(value, saved)
  if (Array.isArray(value)) return value.map((item) => fill(item, saved))
  const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  if (!isPlain) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, saved)]))
}

/** Reads a value of a response: `/items/0/id` from the body, `ETag` from the headers. */
export function pick({ headers, text }: TestResponse, from: string): string {
  if (!from.startsWith('/')) return String(headers.get(from))
  const segments = from.slice(1).split('/')
  return String(segments.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], JSON.parse(text)))
}
