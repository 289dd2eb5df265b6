import { isRecord, type Values } from '../saved-field.ts'
import { type Merged, mergeLists } from './merge-lists.ts'
import { isSame } from './same-value.ts'

/**
 * Merges two versions of a value, three-way. Different members of an object and different items of a list merge; two versions of one text or
 * number never do: a decision is needed.
 *
 * @returns `undefined` in conflict
 */
export function mergeValue(base: unknown, mine: unknown, theirs: unknown): Merged | undefined {
  if (isSame(mine, theirs) || isSame(base, mine)) return { value: theirs }
  if (isSame(base, theirs)) return { value: mine }
  if (Array.isArray(mine) && Array.isArray(theirs)) return mergeTwoLists(base, mine, theirs)
  if (isRecord(base) && isRecord(mine) && isRecord(theirs)) return mergeRecords(base, mine, theirs)
  return undefined
}

function mergeTwoLists(base: unknown, mine: readonly unknown[], theirs: readonly unknown[]): Merged | undefined {
  const value = mergeLists(Array.isArray(base) ? base : [], mine, theirs, mergeValue)
  return value && { value }
}

function mergeRecords(base: Values, mine: Values, theirs: Values): Merged | undefined {
  if (!isSame(mine._type, theirs._type)) return undefined
  const merged: Record<string, unknown> = {}
  for (const key of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const member = mergeValue(base[key], mine[key], theirs[key])
    if (!member) return undefined
    if (member.value !== undefined) merged[key] = member.value
  }
  return { value: merged }
}
