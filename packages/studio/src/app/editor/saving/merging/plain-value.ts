import { isRecord, type SavedField, type Values } from '../saved-field.ts'

type Inner = Pick<SavedField, 'type' | 'fields' | 'blocks' | 'of'>

/**
 * What people wrote of a value: without what the service makes from it, such as the HTML of a Markdown text in a block, and without members
 * that say nothing. Two values are compared and merged in this form; the service makes the rest again.
 */
export function plainValue(field: Inner, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => plainItem(field, item))
  if (field.type === 'group' && field.fields && isRecord(value)) return plainMembers(field.fields, value)
  return value ?? null
}

/** {@link plainValue} of one field, asked with each key: an item of a long list is read once. */
export function plainReader(field: Inner): (value: unknown) => unknown {
  const known = new WeakMap<object, unknown>()
  const readItem = (item: unknown): unknown => {
    if (!isRecord(item)) return plainItem(field, item)
    const found = known.get(item) ?? plainItem(field, item)
    known.set(item, found)
    return found
  }
  return (value) => (Array.isArray(value) ? value.map(readItem) : plainValue(field, value))
}

function plainItem({ blocks, of }: Inner, item: unknown): unknown {
  const block = isRecord(item) ? blocks?.find(({ type }) => type === item._type) : undefined
  if (block && isRecord(item)) return { _type: block.type, ...plainMembers(block.fields, item) }
  return of ? plainValue(of, item) : item
}

function plainMembers(fields: readonly SavedField[], value: Values): Values {
  const generated = new Set(fields.flatMap((field) => field.generated ?? []))
  const byKey = new Map(fields.map((field) => [field.key, field]))
  const members = Object.entries(value).flatMap(([key, member]) => {
    const field = byKey.get(key)
    if (member === null || member === undefined || generated.has(key)) return []
    return [[key, field ? plainValue(field, member) : member]]
  })
  return Object.fromEntries(members)
}
