import { diff3MergeRegions } from 'node-diff3'
import { isSameLeafValue, type Leaf } from './document-fields.ts'
import { isRecord, isSameValue, toCanonicalText, type Values } from './field-values.ts'

/** All that is known of a leaf that may have two versions. */
interface Sides {
  /** What mine was made from. */
  readonly base: unknown
  readonly mine: unknown
  /** What is stored. */
  readonly theirs: unknown
  /** What this editor has sent, and may be what is stored. */
  readonly sent: readonly unknown[]
}

/** What two versions of a leaf come to. */
export type LeafOutcome =
  | { readonly kind: 'same' }
  | { readonly kind: 'edit'; readonly value: unknown }
  | { readonly kind: 'conflict'; readonly merged?: string }

/** Merges two versions of a leaf; words of texts are merged as an offer alone. */
export function mergeLeaf(leaf: Leaf, { base, mine, theirs, sent }: Sides): LeafOutcome {
  if (isSameLeafValue(leaf, mine, theirs)) return { kind: 'same' }
  const isOurs = [base, ...sent].some((value) => isSameLeafValue(leaf, value, theirs))
  if (isOurs) return { kind: 'edit', value: mine }
  const merged = mergeValue(leaf.toPlain(base), leaf.toPlain(mine), leaf.toPlain(theirs))
  if (merged)
    return isSameLeafValue(leaf, merged.value, theirs) ? { kind: 'same' } : { kind: 'edit', value: merged.value }
  const words = leaf.isText ? offerWords(base, mine, theirs) : undefined
  return words === undefined ? { kind: 'conflict' } : { kind: 'conflict', merged: words }
}

function offerWords(base: unknown, mine: unknown, theirs: unknown): string | undefined {
  if (typeof mine !== 'string' || typeof theirs !== 'string') return undefined
  return mergeWords(typeof base === 'string' ? base : '', mine, theirs)
}

/**
 * Merges two versions of a value, three-way. Different members of an object and different items of a list merge; two versions of one text or
 * number never do: a decision is needed.
 *
 * @returns `undefined` in conflict
 */
export function mergeValue(base: unknown, mine: unknown, theirs: unknown): Merged | undefined {
  if (isSameValue(mine, theirs) || isSameValue(base, mine)) return { value: theirs }
  if (isSameValue(base, theirs)) return { value: mine }
  if (Array.isArray(mine) && Array.isArray(theirs)) return mergeTwoLists(base, mine, theirs)
  if (isRecord(base) && isRecord(mine) && isRecord(theirs)) return mergeRecords(base, mine, theirs)
  return undefined
}

function mergeTwoLists(base: unknown, mine: readonly unknown[], theirs: readonly unknown[]): Merged | undefined {
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

/** A value that two versions came to without a decision. */
interface Merged {
  readonly value: unknown
}

/** Merges two versions of one item; `undefined` in conflict. */
type MergeItem = (base: unknown, mine: unknown, theirs: unknown) => Merged | undefined

type List = readonly unknown[]

/** The members of an item that may tell it from the others. */
const KEY_MEMBERS = ['_key', 'key', 'id'] as const

/**
 * Merges two versions of a list. Items that have keys, and values that occur once, are followed by them; others by their order, where each
 * side may change items that the other did not touch.
 *
 * @returns `undefined` where both changed the same item, or put items in the same place
 */
function mergeLists(base: List, mine: List, theirs: List, mergeItem: MergeItem): List | undefined {
  const keyed = [base, mine, theirs].map(byKey)
  const [o, a, b] = keyed
  if (o && a && b) return mergeKeyed(o, a, b, mergeItem)
  return mergeAligned(base, mine, theirs, mergeItem)
}

type Keyed = ReadonlyMap<string, unknown>

/** The items by key; `undefined` where one has none, or two have the same. */
function byKey(list: List): Keyed | undefined {
  const entries = list.map((item) => [keyOf(item), item] as const)
  const keyed = new Map(entries.flatMap(([key, item]) => (key === undefined ? [] : [[key, item]])))
  return keyed.size === list.length ? keyed : undefined
}

function keyOf(item: unknown): string | undefined {
  if (!isRecord(item)) return Array.isArray(item) ? undefined : toCanonicalText(item)
  const member = KEY_MEMBERS.find((name) => typeof item[name] === 'string' && item[name] !== '')
  if (member === undefined) return undefined
  return toCanonicalText([member, item[member], item.collection ?? null])
}

function mergeKeyed(base: Keyed, mine: Keyed, theirs: Keyed, mergeItem: MergeItem): List | undefined {
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

/** The merged item; none where one side removed it and the other left it as it was; `undefined` in conflict. */
function mergeKeyedItem(key: string, base: Keyed, mine: Keyed, theirs: Keyed, mergeItem: MergeItem): List | undefined {
  const [o, a, b] = [base.get(key), mine.get(key), theirs.get(key)]
  if (mine.has(key) && theirs.has(key)) {
    const item = isSameValue(a, b) ? { value: a } : base.has(key) ? mergeItem(o, a, b) : undefined
    return item && [item.value]
  }
  if (!base.has(key)) return [mine.has(key) ? a : b]
  const isLeft = isSameValue(o, mine.has(key) ? a : b)
  return isLeft ? [] : undefined
}

/**
 * The order of all keys. Where only one side moved what all three have, the order is theirs; what only the other has stands behind the key
 * that it stood behind there.
 *
 * @returns `undefined` where both sides moved keys in different ways
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
    const before = other[index - 1]
    let place = before === undefined ? 0 : order.indexOf(before) + 1
    while (place < order.length && !other.includes(order[place] ?? '')) place += 1
    order.splice(place, 0, key)
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
  return repeatsMore(merged, mine, theirs) ? undefined : merged
}

/** Items that both sides changed: the same number of them can be merged one by one. */
function mergeRegion(base: List, mine: List, theirs: List, mergeItem: MergeItem): List | undefined {
  if (isSameValue(mine, theirs)) return mine
  if (base.length !== mine.length || base.length !== theirs.length) return undefined
  const merged = base.map((item, index) => mergeItem(item, mine[index], theirs[index]))
  return merged.every((item) => item !== undefined) ? merged.map(({ value }) => value) : undefined
}

/** Whether an item stands there more often than on either side: both moved it, to different places. */
function repeatsMore(merged: List, mine: List, theirs: List): boolean {
  const count = (list: List, text: string): number => list.filter((item) => toCanonicalText(item) === text).length
  return [...new Set(merged.map(toCanonicalText))].some(
    (text) => count(merged, text) > Math.max(1, count(mine, text), count(theirs, text)),
  )
}

/** The most lines, or words of lines in conflict, that are compared: comparing takes their square in the worst case. */
const MOST_PARTS = 20_000
const MOST_WORDS = 2000

/** A word, or another sign, with the blanks before it; or blanks at the end. */
const WORDS = /\s*(?:[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}\p{M}])|\s+/gu
const LINES = /[^\n]*\n|[^\n]+$/g

/**
 * Merges two versions of a text: first by lines, and by words within lines that both changed. Changes that touch each other do not merge.
 *
 * @returns `undefined` where both changed the same words, or the texts are too long to compare
 */
export function mergeWords(base: string, mine: string, theirs: string): string | undefined {
  return mergeParts(base, mine, theirs, LINES, MOST_PARTS, (o, a, b) =>
    mergeParts(o, a, b, WORDS, MOST_WORDS, () => undefined),
  )
}

type Merge = (base: string, mine: string, theirs: string) => string | undefined

function mergeParts(
  base: string,
  mine: string,
  theirs: string,
  part: RegExp,
  most: number,
  inConflict: Merge,
): string | undefined {
  const partsOf = (text: string): string[] => text.match(part) ?? []
  const [o, a, b] = [partsOf(base), partsOf(mine), partsOf(theirs)]
  if (Math.max(o.length, a.length, b.length) > most) return undefined
  const merged: string[] = []
  for (const region of diff3MergeRegions(a, o, b)) {
    const text = region.stable
      ? region.bufferContent.join('')
      : agreed(region.oContent.join(''), region.aContent.join(''), region.bContent.join(''), inConflict)
    if (text === undefined) return undefined
    merged.push(text)
  }
  return merged.join('')
}

function agreed(o: string, a: string, b: string, inConflict: Merge): string | undefined {
  return a === b ? a : inConflict(o, a, b)
}
