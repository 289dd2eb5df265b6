import { invalidAt } from '../errors.ts'

/** The longest query string, in bytes. */
export const MAX_QUERY_BYTES = 8192

/** Parameters by name, each with every value that was given. */
export type Params = ReadonlyMap<string, readonly string[]>

/**
 * Reads a query string (WHATWG URL, `application/x-www-form-urlencoded`).
 *
 * @throws VALIDATION_ERROR when it is longer than {@link MAX_QUERY_BYTES} or holds a NUL character
 */
export function readParams(search: string): Params {
  if (search.length > MAX_QUERY_BYTES) {
    throw invalidAt('query', 'too_long', `a query string has at most ${MAX_QUERY_BYTES} bytes`)
  }
  const params = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(search)) {
    if (name.includes('\0') || value.includes('\0')) throw invalidAt('query', 'character', 'must not hold NUL')
    const values = params.get(name)
    if (values) values.push(value)
    else params.set(name, [value])
  }
  return params
}

/** Parameters from name and value pairs, for calls inside the process. */
export function fromPairs(pairs: readonly (readonly [string, string])[]): Params {
  const params = new Map<string, string[]>()
  for (const [name, value] of pairs) params.set(name, [...(params.get(name) ?? []), value])
  return params
}
