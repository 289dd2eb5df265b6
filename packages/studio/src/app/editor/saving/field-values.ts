/** The values of a document, as the service answers and takes them. */
export type Values = Readonly<Record<string, unknown>>

/** What saving needs to know of a field; a `FieldDescription` of the service's model is one. */
export interface SavedField {
  readonly key: string
  /** The name of its type, such as `text`. */
  readonly type: string
  /** Whether this session may write it. */
  readonly writable: boolean
  /** The fields of a group. */
  readonly fields?: readonly SavedField[] | undefined
  /** The kinds of blocks. */
  readonly blocks?: readonly { readonly type: string; readonly fields: readonly SavedField[] }[] | undefined
  /** The member that tells an item of a list from the others. */
  readonly itemKey?: string | undefined
  /** An item of a list. */
  readonly of?: Pick<SavedField, 'type' | 'fields' | 'blocks' | 'of' | 'itemKey'> | undefined
  /** Keys of what the service makes from it. */
  readonly generated?: readonly string[] | undefined
}

export const isRecord = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether two JSON values say the same; the order of an object's keys says nothing. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) || Array.isArray(other)) return isSameList(one, other)
  const keys = Object.keys(one)
  if (keys.length !== Object.keys(other).length) return false
  return keys.every((key) => Object.hasOwn(other, key) && isSameValue(Reflect.get(one, key), Reflect.get(other, key)))
}

function isSameList(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false
  return one.every((item, index) => isSameValue(item, other[index]))
}

/** One text for all values that are the same. */
export function toCanonicalText(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

type Inner = Pick<SavedField, 'type' | 'fields' | 'blocks' | 'of'>

/**
 * What people wrote of a value: without what the service makes from it, such as the HTML of a Markdown text in a block, and without members
 * that say nothing. Two values are compared and merged in this form; the service makes the rest again.
 */
export function toPlainValue(field: Inner, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => plainItem(field, item))
  if (field.type === 'group' && field.fields && isRecord(value)) return plainMembers(field.fields, value)
  return value ?? null
}

/** {@link toPlainValue} of one field, asked with each key: an item of a long list is read once. */
export function createPlainReader(field: Inner): (value: unknown) => unknown {
  const known = new WeakMap<object, unknown>()
  const readItem = (item: unknown): unknown => {
    if (!isRecord(item)) return plainItem(field, item)
    const found = known.get(item) ?? plainItem(field, item)
    known.set(item, found)
    return found
  }
  return (value) => (Array.isArray(value) ? value.map(readItem) : toPlainValue(field, value))
}

function plainItem({ blocks, of }: Inner, item: unknown): unknown {
  const block = isRecord(item) ? blocks?.find(({ type }) => type === item._type) : undefined
  if (block && isRecord(item)) return { _type: block.type, ...plainMembers(block.fields, item) }
  return of ? toPlainValue(of, item) : item
}

function plainMembers(fields: readonly SavedField[], value: Values): Values {
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

/** The key of a block, or of another object in a list; `undefined` for what is told by its place. */
export const getItemKey = (item: unknown): string | undefined =>
  isRecord(item) && typeof item._key === 'string' ? item._key : undefined

/** A value with a new key for each of its items, at any depth: what is inserted or copied is another item. */
export const assignNewKeys = (field: Keyed, value: unknown): unknown => mapKeys(field, value, newKey)

/** A value with a key for each item that has none: an editor of a config may know nothing of keys. */
export const addMissingKeys = (field: Keyed, value: unknown): unknown =>
  mapKeys(field, value, (present) => present ?? newKey())

/** A value without the keys of its items, for people. */
export const removeItemKeys = (field: Keyed, value: unknown): unknown => mapKeys(field, value, () => undefined)

/** Twelve digits, as the service makes them. `randomUUID` is missing on pages without TLS. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(6))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** Makes the key of an item that has this one. */
type MakeKey = (present: unknown) => unknown

/** Returns unchanged values as the same objects, since forms render a new object again. */
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
  const { [itemKey]: present, ...members } = mapped
  const key = makeKey(present)
  if (key === present) return mapped
  return key === undefined ? members : { [itemKey]: key, ...members }
}

function mapMembers(fields: readonly SavedField[], value: Values, makeKey: MakeKey): Values {
  const presentFields = fields.filter(({ key }) => Object.hasOwn(value, key))
  const members = presentFields.map((field) => [field.key, mapKeys(field, value[field.key], makeKey)] as const)
  return members.some(([key, member]) => member !== value[key]) ? { ...value, ...Object.fromEntries(members) } : value
}
