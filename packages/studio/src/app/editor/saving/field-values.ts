/** The values of a document, as the service returns and accepts them. */
export type Values = Readonly<Record<string, unknown>>

/** The part of a `FieldDescription` that saving uses. */
export interface SavedField {
  readonly key: string
  /** The name of its type, such as `text`. */
  readonly type: string
  readonly writable: boolean
  readonly fields?: readonly SavedField[] | undefined
  readonly blocks?: readonly { readonly type: string; readonly fields: readonly SavedField[] }[] | undefined
  /** The member with the key of an item. */
  readonly itemKey?: string | undefined
  /** The items of a list. */
  readonly of?: Pick<SavedField, 'type' | 'fields' | 'blocks' | 'of' | 'itemKey'> | undefined
  /** Keys of the fields that the service derives from this one. */
  readonly generated?: readonly string[] | undefined
}

export const isRecord = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns true if two JSON values are equal, regardless of the order of an object's keys. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) return isSameList(a, b)
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && isSameValue(Reflect.get(a, key), Reflect.get(b, key)))
}

function isSameList(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
  return a.every((item, index) => isSameValue(item, b[index]))
}

/** Returns the same text for all equal values. */
export function toCanonicalText(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

type FieldShape = Pick<SavedField, 'type' | 'fields' | 'blocks' | 'of'>

/**
 * Returns the part of a value that users write, without derived values, such as the HTML of a Markdown text in a block, and without empty
 * members. Values are compared and merged in this form; the service derives the rest again.
 */
export function toPlainValue(field: FieldShape, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => toPlainItem(field, item))
  if (field.type === 'group' && field.fields && isRecord(value)) return toPlainMembers(field.fields, value)
  return value ?? null
}

/** Creates a {@link toPlainValue} for one field that caches items, since it runs on every keystroke and lists may be long. */
export function createPlainReader(field: FieldShape): (value: unknown) => unknown {
  const cache = new WeakMap<object, unknown>()
  const readItem = (item: unknown): unknown => {
    if (!isRecord(item)) return toPlainItem(field, item)
    const plainItem = cache.get(item) ?? toPlainItem(field, item)
    cache.set(item, plainItem)
    return plainItem
  }
  return (value) => (Array.isArray(value) ? value.map(readItem) : toPlainValue(field, value))
}

function toPlainItem({ blocks, of }: FieldShape, item: unknown): unknown {
  const block = isRecord(item) ? blocks?.find(({ type }) => type === item._type) : undefined
  if (block && isRecord(item)) return { _type: block.type, ...toPlainMembers(block.fields, item) }
  return of ? toPlainValue(of, item) : item
}

function toPlainMembers(fields: readonly SavedField[], value: Values): Values {
  const generated = new Set(fields.flatMap((field) => field.generated ?? []))
  const byKey = new Map(fields.map((field) => [field.key, field]))
  const members = Object.entries(value).flatMap(([key, member]) => {
    const field = byKey.get(key)
    if (member === null || member === undefined || generated.has(key)) return []
    return [[key, field ? toPlainValue(field, member) : member]]
  })
  return Object.fromEntries(members)
}

/** The part of a field description that decides if items have keys. */
export type Keyed = Partial<Pick<SavedField, 'fields' | 'blocks' | 'of' | 'itemKey'>>

/** Returns the key of a block or another object in a list; `undefined` for items that are identified by index. */
export const getItemKey = (item: unknown): string | undefined =>
  isRecord(item) && typeof item._key === 'string' ? item._key : undefined

/** Returns a value with a new key for each item at any depth, since an inserted or copied item is a different one. */
export const assignNewKeys = (field: Keyed, value: unknown): unknown => mapKeys(field, value, generateKey)

/** Returns a value with a key for each item that lacks one. Custom editors may not know about keys. */
export const addMissingKeys = (field: Keyed, value: unknown): unknown =>
  mapKeys(field, value, (currentKey) => currentKey ?? generateKey())

/** Returns a value without item keys, for display. */
export const removeItemKeys = (field: Keyed, value: unknown): unknown => mapKeys(field, value, () => undefined)

/** Generates twelve hexadecimal digits, as the service does. Pages without TLS have no `randomUUID`. */
const generateKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(6))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** Returns the new key of an item from its current one; `undefined` for none. */
type MakeKey = (currentKey: unknown) => unknown

/** Maps the item keys in a value. Unchanged values stay the same objects, since a form renders new ones again. */
function mapKeys(field: Keyed, value: unknown, makeKey: MakeKey): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => mapItem(field, item, makeKey))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  return field.fields && isRecord(value) ? mapMembers(field.fields, value, makeKey) : value
}

function mapItem({ blocks, of, itemKey }: Keyed, item: unknown, makeKey: MakeKey): unknown {
  const block = isRecord(item) ? blocks?.find(({ type }) => type === item._type) : undefined
  const mapped = mapKeys(block ? { fields: block.fields } : (of ?? {}), item, makeKey)
  if (itemKey === undefined || !isRecord(mapped)) return mapped
  const { [itemKey]: currentKey, ...members } = mapped
  const key = makeKey(currentKey)
  if (key === currentKey) return mapped
  return key === undefined ? members : { [itemKey]: key, ...members }
}

function mapMembers(fields: readonly SavedField[], value: Values, makeKey: MakeKey): Values {
  const presentFields = fields.filter(({ key }) => Object.hasOwn(value, key))
  const members = presentFields.map((field) => [field.key, mapKeys(field, value[field.key], makeKey)] as const)
  return members.some(([key, member]) => member !== value[key]) ? { ...value, ...Object.fromEntries(members) } : value
}
