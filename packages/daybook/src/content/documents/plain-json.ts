import { validationErrorAt } from '../../errors.ts'

/**
 * A value of the config's own code as JSON has it: a copy, of nothing but what JSON can hold.
 *
 * @throws {TypeError} when it holds anything else
 */
export const toPlainJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value, refuseUnstorable))

/** JSON would leave these out, or make `null` of them. */
function refuseUnstorable(key: string, value: unknown): unknown {
  const isStorable = typeof value !== 'function' && typeof value !== 'symbol' && !Number.isNaN(value)
  if (!isStorable || value === Infinity || value === -Infinity)
    throw new TypeError(`${key === '' ? 'The value' : key} is ${String(value)}, which JSON cannot hold`)
  return value
}

/** The deepest nesting of a value, in levels. */
export const MAX_JSON_DEPTH = 64

/** Keys that reach an object's prototype where code merges carelessly; refused at any depth. */
const HOSTILE_KEYS = new Set(['__proto__', 'constructor', 'prototype'])

const segment = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')

interface Open {
  readonly value: unknown
  readonly path: string
  readonly depth: number
}

/**
 * Refuses what JSON can say and a store cannot keep as it came: keys that reach a prototype, NUL characters,
 * lone surrogates, and nesting deeper than {@link MAX_JSON_DEPTH}. Walks without recursion.
 *
 * @throws VALIDATION_ERROR at the first one found
 */
export function refuseHostile(value: unknown): void {
  const open: Open[] = [{ value, path: '', depth: 0 }]
  for (let next = open.pop(); next; next = open.pop()) {
    if (typeof next.value === 'string') refuseText(next.value, next.path)
    else if (typeof next.value === 'number') refuseEndless(next.value, next.path)
    else if (typeof next.value === 'object' && next.value !== null) openChildren(next.value, next, open)
  }
}

function openChildren(container: object, { path, depth }: Open, open: Open[]): void {
  if (depth >= MAX_JSON_DEPTH)
    throw validationErrorAt(clip(path), 'depth', `must be nested at most ${MAX_JSON_DEPTH} levels deep`, {
      limit: MAX_JSON_DEPTH,
    })
  const isList = Array.isArray(container)
  for (const [key, value] of Object.entries(container)) {
    const inner = `${path}/${segment(key)}`
    if (!isList) refuseKey(key, inner)
    open.push({ value, path: inner, depth: depth + 1 })
  }
}

function refuseKey(key: string, path: string): void {
  if (HOSTILE_KEYS.has(key)) throw validationErrorAt(clip(path), 'unknown_field', 'this key is not allowed')
  refuseText(key, path)
}

/** JSON has no infinity; a number too large to hold would be stored as null. */
function refuseEndless(number: number, path: string): void {
  if (Number.isFinite(number)) return
  throw validationErrorAt(clip(path), 'type', 'must be a number that a double can hold', { types: ['number'] })
}

function refuseText(text: string, path: string): void {
  if (text.includes('\0')) throw validationErrorAt(clip(path), 'character', 'must not hold the NUL character')
  if (!text.isWellFormed()) throw validationErrorAt(clip(path), 'character', 'must not hold half of a surrogate pair')
}

const clip = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)}…` : path || '/')
