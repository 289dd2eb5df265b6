import { diff3MergeRegions } from 'node-diff3'
import { isSameLeafValue, type Leaf } from './document-fields.ts'
import { isRecord, isSameValue, toCanonicalText, type Values } from './field-values.ts'

// In this file, `o`, `a` and `b` are the base, mine and theirs, as in the literature on diff3.

interface LeafVersions {
  /** The value that `mine` is based on. */
  readonly base: unknown
  readonly mine: unknown
  /** The stored value. */
  readonly theirs: unknown
  /** Values that this editor has sent, one of which may be stored. */
  readonly sent: readonly unknown[]
}

export type LeafOutcome =
  | { readonly kind: 'same' }
  | { readonly kind: 'edit'; readonly value: unknown }
  | { readonly kind: 'conflict'; readonly merged?: string }

/** Merges two versions of a leaf. A text merged by words is only a proposal. */
export function mergeLeaf(leaf: Leaf, { base, mine, theirs, sent }: LeafVersions): LeafOutcome {
  if (isSameLeafValue(leaf, mine, theirs)) return { kind: 'same' }
  const isUnchangedByOthers = [base, ...sent].some((value) => isSameLeafValue(leaf, value, theirs))
  if (isUnchangedByOthers) return { kind: 'edit', value: mine }
  const merged = mergeValue(leaf.toPlain(base), leaf.toPlain(mine), leaf.toPlain(theirs))
  if (merged)
    return isSameLeafValue(leaf, merged.value, theirs) ? { kind: 'same' } : { kind: 'edit', value: merged.value }
  const words = leaf.isText ? proposeWords(base, mine, theirs) : undefined
  return words === undefined ? { kind: 'conflict' } : { kind: 'conflict', merged: words }
}

function proposeWords(base: unknown, mine: unknown, theirs: unknown): string | undefined {
  if (typeof mine !== 'string' || typeof theirs !== 'string') return undefined
  return mergeWords(typeof base === 'string' ? base : '', mine, theirs)
}

/**
 * Merges two versions of a value, three-way. Different members of an object and different items of a list merge; two versions of one text or
 * number need a decision.
 *
 * @returns `undefined` for a conflict
 */
export function mergeValue(base: unknown, mine: unknown, theirs: unknown): Merged | undefined {
  if (isSameValue(mine, theirs) || isSameValue(base, mine)) return { value: theirs }
  if (isSameValue(base, theirs)) return { value: mine }
  if (Array.isArray(mine) && Array.isArray(theirs)) return mergeListValues(base, mine, theirs)
  if (isRecord(base) && isRecord(mine) && isRecord(theirs)) return mergeRecords(base, mine, theirs)
  return undefined
}

function mergeListValues(base: unknown, mine: readonly unknown[], theirs: readonly unknown[]): Merged | undefined {
  const value = mergeLists(Array.isArray(base) ? base : [], mine, theirs, mergeValue)
  return value && { value }
}

function mergeRecords(base: Values, mine: Values, theirs: Values): Merged | undefined {
  if (!isSameValue(mine._type, theirs._type)) return undefined
  const merged: Record<string, unknown> = {}
  for (const key of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const member = mergeValue(base[key], mine[key], theirs[key])
    if (!member) return undefined
    if (member.value !== undefined) merged[key] = member.value
  }
  return { value: merged }
}

/** A value merged without a decision. */
interface Merged {
  readonly value: unknown
}

/** Merges two versions of one item; returns `undefined` for a conflict. */
type MergeItem = (base: unknown, mine: unknown, theirs: unknown) => Merged | undefined

type List = readonly unknown[]

/** The members that may identify an item. */
const KEY_MEMBERS = ['_key', 'key', 'id'] as const

/**
 * Merges two versions of a list. Items with keys, and values that occur once, are matched by these; others by their order, where each side may
 * change items that the other did not touch.
 *
 * @returns `undefined` if both changed the same item, or inserted items at the same position
 */
function mergeLists(base: List, mine: List, theirs: List, mergeItem: MergeItem): List | undefined {
  const [o, a, b] = [base, mine, theirs].map(indexByKey)
  if (o && a && b) return mergeKeyed(o, a, b, mergeItem)
  return mergeAligned(base, mine, theirs, mergeItem)
}

type KeyedItems = ReadonlyMap<string, unknown>

/** Indexes the items by key; `undefined` if a key is missing or not unique. */
function indexByKey(list: List): KeyedItems | undefined {
  const entries = list.map((item) => [getKey(item), item] as const)
  const keyed = new Map(entries.flatMap(([key, item]) => (key === undefined ? [] : [[key, item]])))
  return keyed.size === list.length ? keyed : undefined
}

function getKey(item: unknown): string | undefined {
  if (!isRecord(item)) return Array.isArray(item) ? undefined : toCanonicalText(item)
  const member = KEY_MEMBERS.find((name) => typeof item[name] === 'string' && item[name] !== '')
  if (member === undefined) return undefined
  return toCanonicalText([member, item[member], item.collection ?? null])
}

function mergeKeyed(base: KeyedItems, mine: KeyedItems, theirs: KeyedItems, mergeItem: MergeItem): List | undefined {
  const order = mergeOrder([...base.keys()], [...mine.keys()], [...theirs.keys()])
  if (!order) return undefined
  const merged: unknown[] = []
  for (const key of order) {
    const item = mergeKeyedItem(key, base, mine, theirs, mergeItem)
    if (!item) return undefined
    merged.push(...item)
  }
  return merged
}

/** Merges one item. The list is empty if one side removed the item and the other left it unchanged; `undefined` for a conflict. */
function mergeKeyedItem(
  key: string,
  base: KeyedItems,
  mine: KeyedItems,
  theirs: KeyedItems,
  mergeItem: MergeItem,
): List | undefined {
  const [o, a, b] = [base.get(key), mine.get(key), theirs.get(key)]
  if (mine.has(key) && theirs.has(key)) {
    const item = isSameValue(a, b) ? { value: a } : base.has(key) ? mergeItem(o, a, b) : undefined
    return item && [item.value]
  }
  if (!base.has(key)) return [mine.has(key) ? a : b]
  const isUnchanged = isSameValue(o, mine.has(key) ? a : b)
  return isUnchanged ? [] : undefined
}

/**
 * Merges the order of keys. If only one side moved common keys, its order leads; a key that only the other side has follows the key that
 * precedes it there.
 *
 * @returns `undefined` if the sides moved keys differently
 */
function mergeOrder(base: readonly string[], mine: readonly string[], theirs: readonly string[]): string[] | undefined {
  const common = new Set(base.filter((key) => mine.includes(key) && theirs.includes(key)))
  const [o, a, b] = [base, mine, theirs].map((keys) => keys.filter((key) => common.has(key)))
  const isMineMoved = !isSameValue(o, a)
  if (isMineMoved && !isSameValue(o, b) && !isSameValue(a, b)) return undefined
  const [leading, other] = isMineMoved ? [mine, theirs] : [theirs, mine]
  const order = [...leading]
  other.forEach((key, index) => {
    if (order.includes(key)) return
    const predecessor = other[index - 1]
    let position = predecessor === undefined ? 0 : order.indexOf(predecessor) + 1
    while (position < order.length && !other.includes(order[position] ?? '')) position += 1
    order.splice(position, 0, key)
  })
  return order
}

function mergeAligned(base: List, mine: List, theirs: List, mergeItem: MergeItem): List | undefined {
  const [o, a, b] = [base, mine, theirs].map((list) => list.map(toCanonicalText)) as [string[], string[], string[]]
  const merged: unknown[] = []
  for (const region of diff3MergeRegions(a, o, b)) {
    if (region.stable) merged.push(...region.bufferContent.map((text): unknown => JSON.parse(text)))
    else {
      const slice = (list: List, start: number, length: number): List => list.slice(start, start + length)
      const items = mergeRegion(
        slice(base, region.oStart, region.oLength),
        slice(mine, region.aStart, region.aLength),
        slice(theirs, region.bStart, region.bLength),
        mergeItem,
      )
      if (!items) return undefined
      merged.push(...items)
    }
  }
  return hasExtraRepeats(merged, mine, theirs) ? undefined : merged
}

/** Merges a region that both sides changed, item by item if the number of items is the same. */
function mergeRegion(base: List, mine: List, theirs: List, mergeItem: MergeItem): List | undefined {
  if (isSameValue(mine, theirs)) return mine
  if (base.length !== mine.length || base.length !== theirs.length) return undefined
  const merged = base.map((item, index) => mergeItem(item, mine[index], theirs[index]))
  return merged.every((item) => item !== undefined) ? merged.map(({ value }) => value) : undefined
}

/** True if an item occurs more often than on either side, because both moved it to different positions. */
function hasExtraRepeats(merged: List, mine: List, theirs: List): boolean {
  const count = (list: List, text: string): number => list.filter((item) => toCanonicalText(item) === text).length
  return [...new Set(merged.map(toCanonicalText))].some(
    (text) => count(merged, text) > Math.max(1, count(mine, text), count(theirs, text)),
  )
}

/** The maximum number of lines, and of words in conflicting lines. Comparing takes quadratic time in the worst case. */
const MAX_LINES = 20_000
const MAX_WORDS = 2000

/** A word or another character, with the whitespace before it; or trailing whitespace. */
const WORDS = /\s*(?:[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}\p{M}])|\s+/gu
const LINES = /[^\n]*\n|[^\n]+$/g

/**
 * Merges two versions of a text by lines, and by words within lines that both changed. Adjacent changes do not merge.
 *
 * @returns `undefined` if both changed the same words, or the texts are too long to compare
 */
export function mergeWords(base: string, mine: string, theirs: string): string | undefined {
  return mergeParts(base, mine, theirs, LINES, MAX_LINES, (o, a, b) =>
    mergeParts(o, a, b, WORDS, MAX_WORDS, () => undefined),
  )
}

type MergeTexts = (base: string, mine: string, theirs: string) => string | undefined

function mergeParts(
  base: string,
  mine: string,
  theirs: string,
  part: RegExp,
  maxParts: number,
  mergeConflict: MergeTexts,
): string | undefined {
  const split = (text: string): string[] => text.match(part) ?? []
  const [o, a, b] = [split(base), split(mine), split(theirs)]
  if (Math.max(o.length, a.length, b.length) > maxParts) return undefined
  const merged: string[] = []
  for (const region of diff3MergeRegions(a, o, b)) {
    const text = region.stable
      ? region.bufferContent.join('')
      : mergeRegionTexts(region.oContent.join(''), region.aContent.join(''), region.bContent.join(''), mergeConflict)
    if (text === undefined) return undefined
    merged.push(text)
  }
  return merged.join('')
}

function mergeRegionTexts(o: string, a: string, b: string, mergeConflict: MergeTexts): string | undefined {
  return a === b ? a : mergeConflict(o, a, b)
}
