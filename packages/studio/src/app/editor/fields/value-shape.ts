import type { FieldDescription } from 'daybook'
import { isRecord } from '../saving/saved-field.ts'

/** What is asked of the values of a field. */
type Described = Pick<FieldDescription, 'type' | 'many' | 'schema'>

type Shape = (value: unknown) => boolean

const isText: Shape = (value) => typeof value === 'string'

/** What a value of each type of JSON Schema looks like. */
const SHAPES: Readonly<Record<string, Shape>> = {
  string: isText,
  number: (value) => typeof value === 'number',
  integer: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  object: isRecord,
  array: Array.isArray,
}

/** The types of numbers take what is typed while it is no number yet. */
const TYPED_AS_TEXT: ReadonlySet<string> = new Set(['integer', 'number'])

/**
 * Whether the editor of a field can show a value: an empty one, or one of the form that its schema names. A value of an older config may
 * have another form.
 */
export function holdsShape({ type, many, schema }: Described, value: unknown): boolean {
  if (value === null || value === undefined || type === 'json' || type === 'reverse') return true
  if (many) return Array.isArray(value)
  if (TYPED_AS_TEXT.has(type) && typeof value === 'string') return true
  const named = [schema.type].flat().filter((one): one is string => typeof one === 'string')
  return named.length === 0 || named.some((one) => SHAPES[one]?.(value) ?? true)
}
