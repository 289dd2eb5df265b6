import type { TestResponse } from './transports.ts'

/** Values that a step keeps for the steps after it, by name. */
export type SavedValues = Readonly<Record<string, string>>

/** Puts kept values where `{name}` stands in a text; other braces stay as they are. */
export function fillText(text: string, kept: SavedValues): string {
  return text.replace(/\{(\w+)\}/g, (all, name: string) => (Object.hasOwn(kept, name) ? String(kept[name]) : all))
}

/** The same in every text inside a JSON value. Matchers of the test runner pass as they are. */
export function fill(value: unknown, kept: SavedValues): unknown {
  if (typeof value === 'string') return fillText(value, kept)
  if (Array.isArray(value)) return value.map((item) => fill(item, kept))
  const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  if (!isPlain) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, kept)]))
}

/** Takes a value out of an answer: `/items/0/id` out of the body, `ETag` out of the headers. */
export function pick({ headers, text }: TestResponse, from: string): string {
  if (!from.startsWith('/')) return String(headers.get(from))
  const segments = from.slice(1).split('/')
  return String(segments.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], JSON.parse(text)))
}
