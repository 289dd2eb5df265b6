import { type Issue, invalid, invalidAt, MAX_ISSUES } from '../errors.ts'
import { adviceOnParam } from './unknown-param.ts'

/** The longest query string, in bytes. */
export const MAX_QUERY_BYTES = 8192

/** Parameters by name, each with every value that was given. */
export type Params = ReadonlyMap<string, readonly string[]>

const NO_PARAMS: Params = new Map()
/** Query strings that came of late. What is made of them can be kept with them, too. */
const recent = new Map<string, Params>()
const MAX_RECENT = 500
/** The longest query string that is kept, in characters. */
const MAX_KEPT = 512

/**
 * Reads a query string (WHATWG URL, `application/x-www-form-urlencoded`).
 *
 * @throws VALIDATION_ERROR when it is longer than {@link MAX_QUERY_BYTES} or holds a NUL character
 */
export function readParams(search: string): Params {
  if (search === '') return NO_PARAMS
  if (search.length > MAX_QUERY_BYTES) {
    throw invalidAt('query', 'too_long', `a query string has at most ${MAX_QUERY_BYTES} bytes`)
  }
  const known = recent.get(search)
  if (known) return known
  const params = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(search)) {
    if (name.includes('\0') || value.includes('\0')) throw invalidAt('query', 'character', 'must not hold NUL')
    const values = params.get(name)
    if (values) values.push(value)
    else params.set(name, [value])
  }
  if (search.length <= MAX_KEPT) {
    if (recent.size >= MAX_RECENT) recent.clear()
    recent.set(search, params)
  }
  return params
}

/** Parameters from name and value pairs, for calls inside the process. */
export function fromPairs(pairs: readonly (readonly [string, string])[]): Params {
  const params = new Map<string, string[]>()
  for (const [name, value] of pairs) params.set(name, [...(params.get(name) ?? []), value])
  return params
}

/** Takes parameters one by one and remembers what is wrong with them. */
export class ParamReader {
  readonly #params: Params
  readonly #issues: Issue[] = []

  /**
   * @param known every parameter that may stand
   * @param taken the same as a client is told them
   */
  constructor(params: Params, known: ReadonlySet<string>, taken?: readonly string[]) {
    this.#params = params
    for (const name of params.keys()) {
      if (!known.has(name) && this.#issues.length < MAX_ISSUES) {
        this.fault(name.slice(0, 64), 'unknown_param', adviceOnParam(name, taken ?? [...known]))
      }
    }
  }

  fault(path: string, code: string, message: string): void {
    this.#issues.push({ path, code, message })
  }

  /** A parameter that may stand once. */
  one(name: string): string | undefined {
    const [value, ...more] = this.#params.get(name) ?? []
    if (more.length > 0) this.fault(name, 'repeated', 'may stand only once')
    return value
  }

  /** A parameter whose values are separated by commas, or repeated. */
  list(name: string): readonly string[] | undefined {
    const values = this.#params.get(name)?.flatMap((value) => value.split(','))
    if (values?.some((value) => value === '')) this.fault(name, 'empty', 'must not hold an empty name')
    return values
  }

  /** A whole number, 0 or more, that a double holds exactly. */
  count(name: string): number | undefined {
    const text = this.one(name)
    if (text === undefined) return undefined
    const value = Number(text)
    if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(value)) return value
    this.fault(name, 'type', 'must be a whole number, 0 or more')
    return undefined
  }

  /** @throws VALIDATION_ERROR with every fault found so far */
  finish(): void {
    if (this.#issues.length > 0) throw invalid(this.#issues)
  }
}
