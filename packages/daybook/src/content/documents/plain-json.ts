import { validationErrorAt } from '../../errors.ts'

/**
 * Copies a value of the config's code as JSON.
 *
 * @throws {TypeError} if JSON cannot represent it
 */
export const toPlainJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value, refuseUnstorable))

/** Rejects values that `JSON.stringify` would drop or replace with `null`. */
function refuseUnstorable(key: string, value: unknown): unknown {
  const isStorable = typeof value !== 'function' && typeof value !== 'symbol' && !Number.isNaN(value)
  if (!isStorable || value === Infinity || value === -Infinity)
    throw new TypeError(`${key === '' ? 'The value' : key} is ${String(value)}, which JSON cannot represent`)
  return value
}

/** The maximum nesting of a value, in levels. */
export const MAX_JSON_DEPTH = 64

/** Keys that could change an object's prototype in careless merges. */
const HOSTILE_KEYS = new Set(['__proto__', 'constructor', 'prototype'])

const escapeSegment = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')

interface PendingValue {
  readonly value: unknown
  readonly path: string
  readonly depth: number
}

/**
 * Rejects valid JSON that a store cannot keep unchanged: keys that reach a prototype, NUL characters, lone surrogates, and nesting
 * deeper than {@link MAX_JSON_DEPTH}. Works without recursion.
 *
 * @throws VALIDATION_ERROR for the first fault
 */
export function refuseHostile(value: unknown): void {
  const pending: PendingValue[] = [{ value, path: '', depth: 0 }]
  for (let current = pending.pop(); current; current = pending.pop()) {
    if (typeof current.value === 'string') refuseText(current.value, current.path)
    else if (typeof current.value === 'number') refuseInfinite(current.value, current.path)
    else if (typeof current.value === 'object' && current.value !== null) openChildren(current.value, current, pending)
  }
}

function openChildren(container: object, { path, depth }: PendingValue, pending: PendingValue[]): void {
  if (depth >= MAX_JSON_DEPTH)
    throw validationErrorAt(clipPath(path), 'depth', `must be nested at most ${MAX_JSON_DEPTH} levels deep`, {
      limit: MAX_JSON_DEPTH,
    })
  const isList = Array.isArray(container)
  for (const [key, value] of Object.entries(container)) {
    const innerPath = `${path}/${escapeSegment(key)}`
    if (!isList) refuseKey(key, innerPath)
    pending.push({ value, path: innerPath, depth: depth + 1 })
  }
}

function refuseKey(key: string, path: string): void {
  if (HOSTILE_KEYS.has(key)) throw validationErrorAt(clipPath(path), 'unknown_field', 'is not allowed as a key')
  refuseText(key, path)
}

/** Rejects numbers that parse as infinity, which would be stored as null. */
function refuseInfinite(number: number, path: string): void {
  if (Number.isFinite(number)) return
  throw validationErrorAt(clipPath(path), 'type', 'must be within the range of a double', { types: ['number'] })
}

function refuseText(text: string, path: string): void {
  if (text.includes('\0')) throw validationErrorAt(clipPath(path), 'character', 'must not contain the NUL character')
  if (!text.isWellFormed())
    throw validationErrorAt(clipPath(path), 'character', 'must not contain half of a surrogate pair')
}

const clipPath = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)}…` : path || '/')
