import { randomBytes } from 'node:crypto'
import { type Field, holdsItemKeys, ITEM_KEY, isRecord } from '../../fields/field.ts'
import { createIssue, type Issue } from '../../issues.ts'
import { getItemField, getObjectFields, type Item, matchItems } from './match-items.ts'

const getKey = (item: unknown): string | undefined =>
  isRecord(item) && typeof item[ITEM_KEY] === 'string' ? item[ITEM_KEY] : undefined

const getBlockType = (item: unknown): unknown => (isRecord(item) ? item._type : undefined)

/** Returns true if two items are the same. A block never becomes one of another type. */
const isSameItem = (item: unknown, other: unknown): boolean =>
  getKey(item) === getKey(other) && getBlockType(item) === getBlockType(other)

const hasItemKeys = ({ type, options }: Field): boolean => type.hasItemKeys?.(options) === true

/** Returns the step to an item in the path of a value: its key, or its index if it has none. */
export const getItemStep = (item: unknown, index: number): string => getKey(item) ?? String(index)

/** Finds the former index of each item in the stored list; `undefined` for a new item. */
export function findFormerPlaces(
  field: Field,
  items: readonly unknown[],
  stored: readonly unknown[],
): readonly (number | undefined)[] {
  if (stored.length === 0) return []
  if (!hasItemKeys(field)) {
    const storedItems = stored.map((item) => ({ localeValues: [item] }))
    return matchItems(
      field,
      items.map((item) => ({ item })),
      storedItems,
    )
  }
  const places = new Map(stored.map((item, index) => [getKey(item), index]))
  return items.map((item) => {
    const place = places.get(getKey(item))
    return place !== undefined && isSameItem(stored[place], item) ? place : undefined
  })
}

type Convert = (field: Field, value: unknown, key: string) => unknown

/** Converts the fields of an object, and keeps its other members. */
const convertMembers = (field: Field, value: Item, convert: Convert): Item => {
  const inner = Object.entries(getObjectFields(field, value)).filter(([key]) => Object.hasOwn(value, key))
  return {
    ...value,
    ...Object.fromEntries(inner.map(([key, innerField]) => [key, convert(innerField, value[key], key)])),
  }
}

function withKey(key: string, { [ITEM_KEY]: _, ...members }: Item): Item {
  return { [ITEM_KEY]: key, ...members }
}

function generateKey(usedKeys: ReadonlySet<string | undefined>): string {
  const key = randomBytes(6).toString('hex')
  return usedKeys.has(key) ? generateKey(usedKeys) : key
}

/** Adds keys to stored items without one: their index, which is their step in the paths of their translations. */
export function withPlaceKeys(field: Field, value: unknown): unknown {
  if (!holdsItemKeys(field)) return value
  if (isRecord(value)) return convertMembers(field, value, withPlaceKeys)
  if (!Array.isArray(value)) return value
  const inner = value.map((item) => withPlaceKeys(getItemField(field), item))
  if (!hasItemKeys(field)) return inner
  const keys = new Set(value.map(getKey))
  return inner.map((item, index) => {
    if (!isRecord(item) || getKey(item) !== undefined) return item
    return withKey(keys.has(String(index)) ? generateKey(keys) : String(index), item)
  })
}

/**
 * Finds keys that several items of one list share.
 *
 * @param path the JSON Pointer to the value
 */
export function findRepeatedKeys(field: Field, value: unknown, path: string): readonly Issue[] {
  if (!holdsItemKeys(field)) return []
  if (isRecord(value)) {
    const inner = Object.entries(getObjectFields(field, value))
    return inner.flatMap(([key, innerField]) => findRepeatedKeys(innerField, value[key], `${path}/${key}`))
  }
  if (!Array.isArray(value)) return []
  const firstIndexes = new Map(value.map((item, index) => [getKey(item), index] as const).reverse())
  const repeated = value.flatMap((item, index): Issue[] => {
    const key = hasItemKeys(field) ? getKey(item) : undefined
    const first = firstIndexes.get(key)
    if (key === undefined || first === index) return []
    const message = `is already the key of item ${first}. Choose another key or leave it out.`
    return [createIssue(`${path}/${index}/${ITEM_KEY}`, 'repeated_key', message, { index: Number(first) })]
  })
  return [
    ...repeated,
    ...value.flatMap((item, index) => findRepeatedKeys(getItemField(field), item, `${path}/${index}`)),
  ]
}

/**
 * Adds keys to the items of a value before it is stored. An item without a key, or a block with the key of a stored block of another
 * type, gets the key of the matching stored item, or a new one if none matches.
 *
 * @param localeValues the stored value in each locale, the written one first
 */
export function withItemKeys(field: Field, value: unknown, localeValues: readonly unknown[]): unknown {
  if (!holdsItemKeys(field)) return value
  // The lists of other locales do not identify the items of a localized list.
  const identifying = field.options.localized === true ? localeValues.slice(0, 1) : localeValues
  if (isRecord(value)) {
    const objects = identifying.filter(isRecord)
    const memberLocaleValues = (key: string): readonly unknown[] => objects.map((object) => object[key])
    return convertMembers(field, value, (inner, member, key) => withItemKeys(inner, member, memberLocaleValues(key)))
  }
  if (!Array.isArray(value)) return value
  const lists = identifying.filter((localeValue) => Array.isArray(localeValue))
  if (hasItemKeys(field)) return addKeysToItems(field, value, lists)
  const itemLocaleValues = (index: number): readonly unknown[] => lists.map((list) => list[index])
  return value.map((item, index) => withItemKeys(getItemField(field), item, itemLocaleValues(index)))
}

function addKeysToItems(field: Field, items: readonly unknown[], lists: readonly (readonly unknown[])[]): unknown {
  const groups = [...Map.groupBy(lists.flat().filter(isRecord), getKey)]
  const stored = groups.flatMap(([key, localeValues]) => (key === undefined ? [] : [{ key, localeValues }]))
  const storedPlaces = new Map(stored.map(({ key }, index) => [key, index]))
  const claimed = new Set<string>()
  const claims = items.map((item) => {
    const key = getKey(item)
    if (key === undefined || claimed.has(key)) return { item }
    const place = storedPlaces.get(key)
    if (place !== undefined && !isSameItem(stored[place]?.localeValues[0], item)) return { item, place: null }
    claimed.add(key)
    return { item, place: place ?? null, key }
  })
  const places = matchItems(field, claims, stored)
  const usedKeys = new Set<string | undefined>([...claimed, ...storedPlaces.keys()])
  return claims.map(({ item, key }, index) => {
    if (!isRecord(item)) return item
    const storedItem = stored[places[index] ?? -1]
    const inner = withItemKeys(getItemField(field), item, storedItem?.localeValues ?? []) as Item
    return withKey(key ?? storedItem?.key ?? generateKey(usedKeys), inner)
  })
}
