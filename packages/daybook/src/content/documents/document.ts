import { validationError, validationErrorAt } from '../../errors.ts'
import {
  type DefaultRule,
  type DeriveTools,
  emptyValue,
  type Field,
  type Fields,
  type Generated,
  generatedValues,
  holdsItemKeys,
  ITEM_KEY,
  innerFields,
  isRecord,
  isRequired,
  readGenerated,
  servedKeys,
} from '../../fields/field.ts'
import { createIssue } from '../../issues.ts'
import { AUTHOR_KEYS } from '../../model/authors.ts'
import type { DocumentModel, FieldModel } from '../../model/model.ts'
import type { FieldReference } from '../../store/rows.ts'
import { RenderError } from '../markdown/markdown-renderer.ts'
import type { Defaults } from './defaults.ts'
import { withItemKeys, withPlaceKeys } from './item-keys.ts'

/** A document's values by served key. */
export type Values = Record<string, unknown>

/** The tools that complete the fields of a write: defaults, generated values and item keys. */
export interface FieldWriteTools extends DeriveTools {
  readonly defaults: Defaults
  /** Returns the stored document in each locale, the written one first; empty for a new document. */
  localeDocuments(): readonly Values[]
}

function getInitialValue(field: Field, path: string, { defaults }: FieldWriteTools): unknown {
  const initial = field.type.default?.(field.options)
  return (
    (typeof initial === 'function' ? defaults.evaluate(field, path, initial as DefaultRule) : initial) ??
    emptyValue(field)
  )
}

interface ValuePlace {
  /** The dotted path of the field. */
  readonly field: string
  /** JSON Pointer (RFC 6901) to the value. */
  readonly path: string
}

type Task = () => Promise<void>

/** Converts a valid value to its stored form. Generated values are left to `tasks`. */
function toCanonicalValue(
  field: Field,
  place: ValuePlace,
  value: unknown,
  tasks: Task[],
  tools: FieldWriteTools,
): unknown {
  // In a localized field, null falls back to another locale, and an empty list does not.
  if (value === null || value === undefined) return field.options.localized === true ? null : emptyValue(field)
  let itemIndex = 0
  let lastPlace = place
  let enclosingPath = place.path
  const converted =
    field.type.walk?.(value, field.options, {
      enter: (_fields, source, index) => {
        if (index !== undefined) enclosingPath = `${place.path}/${index}`
        return source
      },
      value: (inner, innerValue, key) => {
        lastPlace =
          key === ''
            ? { field: place.field, path: `${place.path}/${itemIndex++}` }
            : { field: `${place.field}.${key}`, path: `${enclosingPath}/${key}` }
        const member = innerValue === undefined ? getInitialValue(inner, lastPlace.field, tools) : innerValue
        return toCanonicalValue(inner, lastPlace, member, tasks, tools)
      },
      generated: (generated, container, source) => {
        // Reserves the position, so that keys keep the order of the config.
        container[generated.key] = null
        tasks.push(generate(generated, container, source, lastPlace.path, tools))
      },
    }) ?? value
  return field.type.canonical?.(converted, field.options) ?? converted
}

/** @param path the JSON Pointer to the source of the generated value */
function generate(generated: Generated, container: Values, source: unknown, path: string, tools: DeriveTools): Task {
  return async () => {
    try {
      container[generated.key] =
        'extract' in generated ? generated.extract(container[generated.from]) : await generated.make(source, tools)
    } catch (error) {
      if (error instanceof RenderError)
        throw validationErrorAt(path, 'markdown', `${error.message}. Shorten or simplify it.`)
      throw error
    }
  }
}

/**
 * Prepares the values that a write stores for the fields of its body: defaults, canonical forms, generated values, item keys.
 *
 * @param stored the current document; `undefined` for a new one, which gets every field
 * @throws VALIDATION_ERROR if a text cannot be rendered
 */
export async function prepareFields(
  document: DocumentModel,
  input: Values,
  stored: Values | undefined,
  tools: FieldWriteTools,
): Promise<Values> {
  const prepared: Values = {}
  for (const model of document.fields) {
    const isGiven = Object.hasOwn(input, model.key)
    if (!isGiven && stored) continue
    const value = isGiven ? input[model.key] : getInitialValue(model.field, model.key, tools)
    await prepareField(model, value, prepared, stored, tools)
    const { key, field } = model
    if (holdsItemKeys(field))
      prepared[key] = withItemKeys(
        field,
        prepared[key],
        tools.localeDocuments().map((localeDocument) => localeDocument[key]),
      )
  }
  return prepared
}

async function prepareField(
  { key, field }: FieldModel,
  value: unknown,
  prepared: Values,
  stored: Values | undefined,
  tools: FieldWriteTools,
): Promise<void> {
  const tasks: Task[] = []
  prepared[key] = toCanonicalValue(field, { field: key, path: `/${key}` }, value, tasks, tools)
  for (const generated of generatedValues(key, field)) {
    if (stored?.[generated.key] != null && stored[key] === prepared[key])
      prepared[generated.key] = stored[generated.key]
    else tasks.push(generate(generated, prepared, prepared[key], `/${key}`, tools))
  }
  for (const task of tasks) await task()
}

/** Merges prepared fields into a stored document, in the order of the config. */
export function mergeFields(document: DocumentModel, stored: Values, changes: Values): Values {
  const merged: Values = {}
  for (const { servedKeys } of document.fields) {
    for (const key of servedKeys) merged[key] = (Object.hasOwn(changes, key) ? changes[key] : stored[key]) ?? null
  }
  return merged
}

/** The fields that the caller cannot read, and the body of the write. */
export interface HiddenWrite {
  readonly hidden: ReadonlySet<string>
  readonly input: Values
}

/**
 * Checks that every required field has a value, at any depth. Only the new value of a hidden field is checked, because an error about
 * the stored one would reveal it.
 *
 * @throws VALIDATION_ERROR with one issue for each missing value
 */
export function requireRequiredFields(document: DocumentModel, values: Values, { hidden, input }: HiddenWrite): void {
  const checkedFields = document.fields.filter(({ key }) => !hidden.has(key) || Object.hasOwn(input, key))
  const missing = checkedFields.flatMap((field) =>
    findMissingFields(field, (hidden.has(field.key) ? input : values)[field.key]),
  )
  const issues = missing.map((path) => createIssue(path, 'required', 'is required'))
  if (issues.length > 0) throw validationError(issues)
}

/** Finds the paths of required fields without a value in a top-level field. */
export const findMissingFields = ({ key, field }: FieldModel, value: unknown): readonly string[] =>
  findMissingIn(field, value, `/${key}`)

function findMissingIn(field: Field, value: unknown, path: string): readonly string[] {
  if (isEmpty(value)) return isRequired(field) ? [path] : []
  return getInnerValues(field, value, path).flatMap((inner) => findMissingIn(inner.field, inner.value, inner.path))
}

interface InnerValue {
  readonly field: Field
  readonly value: unknown
  /** The key; empty for an item of a list. */
  readonly key: string
  /** The JSON Pointer (RFC 6901). */
  readonly path: string
}

/**
 * Returns the values inside a container. The paths of values in blocks contain the index of the block.
 *
 * @param path the JSON Pointer to the container
 */
export function getInnerValues({ type, options }: Field, container: unknown, path: string): readonly InnerValue[] {
  const inner: InnerValue[] = []
  let enclosingPath = path
  type.walk?.(container, options, {
    enter: (_fields, value, index) => {
      if (index !== undefined) enclosingPath = `${path}/${index}`
      return value
    },
    value: (field, value, key) => {
      inner.push({ field, value, key, path: key === '' ? `${path}/${inner.length}` : `${enclosingPath}/${key}` })
      return value
    },
    generated: () => {},
  })
  return inner
}

/** Returns true if a value counts as missing, such as a text of white space. The schemas of required texts agree. */
export const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (typeof value === 'string' && !/\S/.test(value)) ||
  (Array.isArray(value) && value.length === 0)

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

/** Finds all references in a document, with the dotted paths of their fields. */
export const findReferences = (document: DocumentModel, values: Values): readonly FieldReference[] =>
  findPlacedReferences(document, values).map(({ reference }) => reference)

export interface PlacedReference {
  readonly reference: FieldReference
  /** JSON Pointer (RFC 6901) to the value with the reference. */
  readonly path: string
}

export const findPlacedReferences = (document: DocumentModel, values: Values): readonly PlacedReference[] =>
  document.fields.flatMap(({ key, field }) => collectReferences(field, values[key], { field: key, path: `/${key}` }))

function collectReferences(
  field: Field,
  value: unknown,
  place: { readonly field: string; readonly path: string },
): readonly PlacedReference[] {
  if (value === null || value === undefined) return []
  const references = field.type.references?.(value, field.options) ?? []
  const direct = references.map((reference) => ({ reference: { ...reference, field: place.field }, path: place.path }))
  const inner = getInnerValues(field, value, place.path).flatMap((innerValue) =>
    collectReferences(innerValue.field, innerValue.value, {
      field: innerValue.key === '' ? place.field : `${place.field}.${innerValue.key}`,
      path: innerValue.path,
    }),
  )
  return [...direct, ...inner]
}

/** The rights that decide which keys of a body exist for the caller. */
interface KeyRights {
  readonly absent: ReadonlySet<string>
  readonly hasAuthors: boolean
}

/**
 * Removes the read-only keys from a body.
 *
 * @param rights the rights of the caller, for whom absent fields and values generated from them are unknown keys
 */
export function dropIgnoredKeys(document: DocumentModel, body: unknown, rights: KeyRights): Values {
  if (!isRecord(body)) throw validationErrorAt('/', 'type', 'must be an object of fields', { types: ['object'] })
  const absentKeys = getServedKeys(document, rights.absent)
  const isIgnored = (key: string): boolean =>
    (document.ignoredKeys.has(key) && !absentKeys.has(key)) || (rights.hasAuthors && AUTHOR_KEYS.includes(key))
  return Object.fromEntries(Object.entries(body).filter(([key]) => !isIgnored(key)))
}

/** Returns the keys of top-level fields and of the values generated from them. */
export function getServedKeys(
  { fields, reverseFields }: DocumentModel,
  keys: ReadonlySet<string>,
): ReadonlySet<string> {
  return new Set(
    [...fields, ...reverseFields.values()].filter(({ key }) => keys.has(key)).flatMap(({ servedKeys }) => servedKeys),
  )
}
