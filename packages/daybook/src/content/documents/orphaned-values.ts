import {
  emptyValue,
  type Field,
  type Fields,
  type Generated,
  generatedValues,
  ITEM_KEY,
  innerFields,
  isRecord,
  readGenerated,
  servedKeys,
} from '../../fields/field.ts'
import type { DocumentModel } from '../../model/model.ts'
import type { Values } from './document.ts'
import { withPlaceKeys } from './item-keys.ts'

/** Converts a document of an older config to the current schema. New fields are empty, unknown ones are left out. */
export function toCurrentSchema(document: DocumentModel, stored: Values): Values {
  const values: Values = {}
  for (const { key, field } of document.fields) {
    values[key] = withPlaceKeys(field, toCurrentValue(field, stored[key]))
    for (const generated of generatedValues(key, field)) {
      values[generated.key] = toCurrentGenerated(generated, stored[generated.key], values)
    }
  }
  return values
}

function toCurrentValue(field: Field, value: unknown): unknown {
  if (value === null || value === undefined) return emptyValue(field)
  if (!field.type.accepts(value, field.options)) {
    const { type, options } = field
    return type.convertFormer?.(value, options) ?? type.replacement?.(options, value) ?? emptyValue(field)
  }
  return (
    field.type.walk?.(value, field.options, {
      value: (inner, innerValue) => toCurrentValue(inner, innerValue),
      generated: (generated, container, _source, stored) => {
        container[generated.key] = toCurrentGenerated(generated, stored, container)
      },
    }) ?? value
  )
}

/** Extracts an extracted value again, since the stored one may be outdated if the config lacked it for a while. */
const toCurrentGenerated = (generated: Generated, stored: unknown, values: Values): unknown =>
  readGenerated(generated, 'extract' in generated ? null : stored, (key) => values[key])

/**
 * Collects a document's orphaned values, which only an earlier config had a field for, as JSON. They stay until
 * `daybook migrate --allow-loss` drops them.
 */
export function collectOrphaned(
  document: DocumentModel,
  { orphaned, doc }: { readonly orphaned: string | null; readonly doc: string },
  stored: Values = JSON.parse(doc),
): string | null {
  return serializeOrphaned(pickUnplaced(document, withOrphanedValues(stored, orphaned)))
}

const serializeOrphaned = (values: Values): string | null =>
  Object.keys(values).length > 0 ? JSON.stringify(values) : null

/** Adds the orphaned values to a stored document, so that a field that returns has its value again. */
export const withOrphanedValues = (stored: Values, orphaned: string | null | undefined): Values =>
  orphaned ? withUnplaced(stored, JSON.parse(orphaned)) : stored

/** Replaces the values that a document shows in place of unplaced ones with the unplaced ones. */
export function withUnplaced(values: Values, unplaced: Values): Values {
  const parts = Object.entries(unplaced).map(([key, part]) => {
    const value = values[key]
    return [key, isRecord(value) && isRecord(part) ? withUnplaced(value, part) : part]
  })
  return { ...values, ...Object.fromEntries(parts) }
}

/** Picks the values of a stored document that have no place in the current config; of a group, the part without one. */
export function pickUnplaced(document: DocumentModel, stored: Values): Values {
  const system = new Set([...document.systemKeys.before, ...document.systemKeys.after])
  const entries = Object.entries(stored).filter(([key]) => !system.has(key))
  return pickUnplacedAmong(document.fieldMap, Object.fromEntries(entries))
}

function pickUnplacedAmong(fields: Fields, values: Values): Values {
  const generated = new Set(Object.entries(fields).flatMap(([key, field]) => servedKeys(key, field)))
  const parts = Object.entries(values).flatMap(([key, value]) => {
    const field = fields[key]
    const part = field ? pickUnplacedPart(field, value) : generated.has(key) ? null : value
    return part === null || part === undefined ? [] : [[key, part] as const]
  })
  return Object.fromEntries(parts)
}

function pickUnplacedPart(field: Field, value: unknown): unknown {
  const [fields] = innerFields(field)
  if (!field.type.isGroup || !fields || !isRecord(value)) return hasUnplaced(field, value) ? value : null
  const part = pickUnplacedAmong(fields, value)
  return Object.keys(part).length > 0 ? part : null
}

/** Returns the orphaned values to store with a document: each stays until a write changes the value that is shown in its place. */
export function keepOrphaned(document: DocumentModel, values: Values, orphaned: string | null): string | null {
  return orphaned === null
    ? null
    : serializeOrphaned(keepOrphanedAmong(document.fieldMap, values, JSON.parse(orphaned)))
}

function keepOrphanedAmong(fields: Fields, values: Values, orphaned: Values): Values {
  const parts = Object.entries(orphaned).flatMap(([key, hidden]) => {
    const field = fields[key]
    const part = field ? keepOrphanedPart(field, values[key], hidden) : hidden
    return part === null ? [] : [[key, part] as const]
  })
  return Object.fromEntries(parts)
}

function keepOrphanedPart(field: Field, value: unknown, hidden: unknown): unknown {
  const [fields] = innerFields(field)
  if (field.type.isGroup && fields && isRecord(value) && isRecord(hidden)) {
    const part = keepOrphanedAmong(fields, value, hidden)
    return Object.keys(part).length > 0 ? part : null
  }
  const shownValue = toCurrentValue(field, hidden)
  return JSON.stringify(shownValue) === JSON.stringify(value ?? emptyValue(field)) ? hidden : null
}

/** A stored value that has no place in the current config. */
export interface UnplacedValue {
  /** The dotted path of the field; the items of a list share it. */
  readonly path: string
  /** The invalid value, or the type of an invalid block; absent if the model has no such field. */
  readonly refused?: unknown
}

/** Lists the single values in unplaced values, at any depth. A status is never lost, since another one replaces it. */
export function findUnplacedValues({ fieldMap }: DocumentModel, values: Values): readonly UnplacedValue[] {
  const unplacedValues: UnplacedValue[] = []
  findUnplacedAmong(fieldMap, values, '', unplacedValues)
  return unplacedValues
}

const getAllowedKeys = (fields: Fields): ReadonlySet<string> =>
  new Set([ITEM_KEY, '_type', ...Object.entries(fields).flatMap(([key, field]) => servedKeys(key, field))])

function findUnplacedAmong(fields: Fields, values: Values, prefix: string, unplacedValues: UnplacedValue[]): void {
  const allowedKeys = getAllowedKeys(fields)
  for (const [key, value] of Object.entries(values)) {
    const field = fields[key]
    if (field) findUnplacedInside(field, value, `${prefix}${key}`, unplacedValues)
    else if (!allowedKeys.has(key))
      unplacedValues.push(...getLeafPaths(value, `${prefix}${key}`).map((path) => ({ path })))
  }
}

function findUnplacedInside(field: Field, value: unknown, path: string, unplacedValues: UnplacedValue[]): void {
  const { type, options } = field
  if (value === null || value === undefined || type.role === 'status') return
  if (!type.accepts(value, options)) {
    if (type.convertFormer?.(value, options) === undefined)
      unplacedValues.push(...getInvalidParts(field, value).map((refused) => ({ path, refused })))
    return
  }
  type.walk?.(value, options, {
    enter: (fields, source) => {
      const unplacedEntries = Object.entries(source).filter(([key]) => !Object.hasOwn(fields, key))
      findUnplacedAmong(fields, Object.fromEntries(unplacedEntries), `${path}.`, unplacedValues)
      return source
    },
    value: (inner, innerValue, key) => {
      findUnplacedInside(inner, innerValue, key === '' ? path : `${path}.${key}`, unplacedValues)
      return innerValue
    },
    generated: () => {},
  })
}

/** Returns the invalid items of a list, blocks by their type; for other fields, the value itself. */
function getInvalidParts({ type, options }: Field, value: unknown): readonly unknown[] {
  const items = Array.isArray(value) ? value.filter((item) => !type.accepts([item], options)) : []
  return items.length > 0 ? items.map((item) => (isRecord(item) && '_type' in item ? item._type : item)) : [value]
}

/** Returns the dotted paths of all values; the items of a list share a path. */
function getLeafPaths(value: unknown, path: string): readonly string[] {
  if (value === null || value === undefined) return []
  const inner = Array.isArray(value)
    ? value.flatMap((item) => getLeafPaths(item, path))
    : isRecord(value)
      ? Object.entries(value).flatMap(([key, member]) => getLeafPaths(member, `${path}.${key}`))
      : [path]
  return [...new Set(inner)]
}

/** Returns true if a stored value, or one inside it, has no place in the current config. */
function hasUnplaced(field: Field, value: unknown): boolean {
  if (value === null || value === undefined) return false
  if (!field.type.accepts(value, field.options)) return field.type.convertFormer?.(value, field.options) === undefined
  let isUnplaced = false
  field.type.walk?.(value, field.options, {
    enter: (fields, stored) => {
      const allowedKeys = getAllowedKeys(fields)
      isUnplaced ||= Object.keys(stored).some((key) => stored[key] !== null && !allowedKeys.has(key))
      return stored
    },
    value: (inner, innerValue) => {
      isUnplaced ||= hasUnplaced(inner, innerValue)
      return innerValue
    },
    generated: () => {},
  })
  return isUnplaced
}
