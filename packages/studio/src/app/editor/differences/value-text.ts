import type { FieldDescription } from 'daybook'
import { withoutKeys } from '../saving/item-keys.ts'
import { plainValue } from '../saving/merging/plain-value.ts'
import { isRecord } from '../saving/saved-field.ts'

/** The field that a path of keys leads to: `seo.title`. */
export function fieldAt(fields: readonly FieldDescription[], path: string): FieldDescription | undefined {
  const [key, ...rest] = path.split('.')
  const field = fields.find((one) => one.key === key)
  return rest.length === 0 ? field : fieldAt(field?.fields ?? [], rest.join('.'))
}

/** A value as a text that people can compare: an item of a list to a line, without what the service makes of it. */
export function valueText(value: unknown, field?: FieldDescription): string {
  const plain = field ? withoutKeys(field, plainValue(field, value)) : value
  if (plain === null || plain === undefined) return ''
  if (Array.isArray(plain) && !plain.some((item) => isRecord(item) || Array.isArray(item)))
    return plain.map(String).join('\n')
  return typeof plain === 'object' ? JSON.stringify(plain, null, 2) : String(plain)
}
