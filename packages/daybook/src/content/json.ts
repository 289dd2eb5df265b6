import { invalidAt } from '../errors.ts'

/** The deepest nesting of a value, in levels. */
export const MAX_DEPTH = 64

/** Keys that reach an object's prototype where code merges carelessly; refused at any depth. */
const HOSTILE_KEYS = new Set(['__proto__', 'constructor', 'prototype'])

const segment = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')

/**
 * Refuses what JSON can say and a store cannot keep as it came: keys that reach a prototype, NUL characters,
 * lone surrogates, and nesting deeper than {@link MAX_DEPTH}. Walks without recursion.
 *
 * @throws VALIDATION_ERROR at the first one found
 */
export function refuseHostile(value: unknown): void {
  const open: { readonly value: unknown; readonly path: string; readonly depth: number }[] = [
    { value, path: '', depth: 0 },
  ]
  for (let next = open.pop(); next; next = open.pop()) {
    const { value: one, path, depth } = next
    if (typeof one === 'string') refuseText(one, path)
    if (typeof one !== 'object' || one === null) continue
    if (depth >= MAX_DEPTH) throw invalidAt(clip(path), 'depth', `must be nested at most ${MAX_DEPTH} levels deep`)
    const isList = Array.isArray(one)
    for (const key of Object.keys(one)) {
      const inner = `${path}/${segment(key)}`
      if (!isList && HOSTILE_KEYS.has(key)) throw invalidAt(clip(inner), 'unknown_field', 'this key is not allowed')
      if (!isList) refuseText(key, path)
      open.push({ value: (one as Record<string, unknown>)[key], path: inner, depth: depth + 1 })
    }
  }
}

function refuseText(text: string, path: string): void {
  if (text.includes('\0')) throw invalidAt(clip(path), 'character', 'must not hold the NUL character')
  if (!text.isWellFormed()) throw invalidAt(clip(path), 'character', 'must not hold half of a surrogate pair')
}

const clip = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)}…` : path || '/')
