import { diff3MergeRegions } from 'node-diff3'
import { isRecord } from '../saved-field.ts'
import { isSame, textOf } from './same-value.ts'

/** A value that two versions came to without a decision. */
export interface Merged {
  readonly value: unknown
}

/** Merges two versions of one item; `undefined` in conflict. */
export type MergeItem = (base: unknown, mine: unknown, theirs: unknown) => Merged | undefined

type List = readonly unknown[]

/** The members of an item that may tell it from the others. */
const KEY_MEMBERS = ['_key', 'key', 'id'] as const

/**
 * Merges two versions of a list. Items that have keys, and values that occur once, are followed by them; others by their order, where each
 * side may change items that the other did not touch.
 *
 * @returns `undefined` where both changed the same item, or put items in the same place
 */
export function mergeLists(base: List, mine: List, theirs: List, mergeItem: MergeItem): List | undefined {
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
  if (!isRecord(item)) return Array.isArray(item) ? undefined : textOf(item)
  const member = KEY_MEMBERS.find((name) => typeof item[name] === 'string' && item[name] !== '')
  if (member === undefined) return undefined
  return textOf([member, item[member], item.collection ?? null])
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
    const item = isSame(a, b) ? { value: a } : base.has(key) ? mergeItem(o, a, b) : undefined
    return item && [item.value]
  }
  if (!base.has(key)) return [mine.has(key) ? a : b]
  const isLeft = isSame(o, mine.has(key) ? a : b)
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
  const isMineMoved = !isSame(o, a)
  if (isMineMoved && !isSame(o, b) && !isSame(a, b)) return undefined
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
  const [o, a, b] = [base, mine, theirs].map((list) => list.map(textOf)) as [string[], string[], string[]]
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
  if (isSame(mine, theirs)) return mine
  if (base.length !== mine.length || base.length !== theirs.length) return undefined
  const merged = base.map((item, index) => mergeItem(item, mine[index], theirs[index]))
  return merged.every((item) => item !== undefined) ? merged.map(({ value }) => value) : undefined
}

/** Whether an item stands there more often than on either side: both moved it, to different places. */
function repeatsMore(merged: List, mine: List, theirs: List): boolean {
  const count = (list: List, text: string): number => list.filter((item) => textOf(item) === text).length
  return [...new Set(merged.map(textOf))].some(
    (text) => count(merged, text) > Math.max(1, count(mine, text), count(theirs, text)),
  )
}
