import { isRecord, type SavedField, type Values } from './saved-field.ts'

/** The part of a field description that decides if items have keys. */
export type Keyed = Partial<Pick<SavedField, 'fields' | 'blocks' | 'of' | 'itemKey'>>

/** The key of a block, or of another object in a list; `undefined` for what is told by its place. */
export const keyOf = (item: unknown): string | undefined =>
  isRecord(item) && typeof item._key === 'string' ? item._key : undefined

/** A value with a new key for each of its items, at any depth: what is inserted or copied is another item. */
export const withNewKeys = (field: Keyed, value: unknown): unknown => mapKeys(field, value, newKey)

/** A value with a key for each item that has none: an editor of a config may know nothing of keys. */
export const withKeys = (field: Keyed, value: unknown): unknown =>
  mapKeys(field, value, (present) => present ?? newKey())

/** A value without the keys of its items, for people. */
export const withoutKeys = (field: Keyed, value: unknown): unknown => mapKeys(field, value, () => undefined)

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
