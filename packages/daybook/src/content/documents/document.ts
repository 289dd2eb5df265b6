import { validationError, validationErrorAt } from '../../errors.ts'
import type { DefaultRule, DeriveTools, Field, Fields, Generated } from '../../fields/field.ts'
import {
  emptyValue,
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

/** Makes values of unnamed fields, and those that are generated from others. */
export interface FieldWriteTools extends DeriveTools {
  /** Makes the defaults of this write. */
  readonly defaults: Defaults
  /** The stored document as each locale shows it, first the one that is written; none for a new document. */
  localeDocuments(): readonly Values[]
}

/** What an unnamed field of a new document holds. */
function initialValue(field: Field, path: string, { defaults }: FieldWriteTools): unknown {
  const initial = field.type.default?.(field.options)
  return (
    (typeof initial === 'function' ? defaults.evaluate(field, path, initial as DefaultRule) : initial) ??
    emptyValue(field)
  )
}

/** The position of a value in its document. */
interface ValuePlace {
  /** The dotted path of its field. */
  readonly field: string
  /** JSON Pointer (RFC 6901) to the value. */
  readonly path: string
}

type Task = () => Promise<void>

/** Brings a valid value into the form it is stored in; what is generated from it is left to the tasks. */
function toCanonicalValue(
  field: Field,
  place: ValuePlace,
  value: unknown,
  tasks: Task[],
  tools: FieldWriteTools,
): unknown {
  // In one locale, no list is not an empty list: it falls back.
  if (value === null || value === undefined) return field.options.localized === true ? null : emptyValue(field)
  let item = 0
  let last = place
  let around = place.path
  const walked =
    field.type.walk?.(value, field.options, {
      enter: (_fields, held, index) => {
        if (index !== undefined) around = `${place.path}/${index}`
        return held
      },
      value: (inner, innerValue, key) => {
        last =
          key === ''
            ? { field: place.field, path: `${place.path}/${item++}` }
            : { field: `${place.field}.${key}`, path: `${around}/${key}` }
        const member = innerValue === undefined ? initialValue(inner, last.field, tools) : innerValue
        return toCanonicalValue(inner, last, member, tasks, tools)
      },
      generated: (generated, copy, source) => {
        // Holds the place, so that keys keep the order of the config.
        copy[generated.key] = null
        tasks.push(generate(generated, copy, source, last.path, tools))
      },
    }) ?? value
  return field.type.canonical?.(walked, field.options) ?? walked
}

/** @param path the JSON Pointer to the value that it is made from */
function generate(generated: Generated, copy: Values, source: unknown, path: string, tools: DeriveTools): Task {
  return async () => {
    try {
      copy[generated.key] =
        'extract' in generated ? generated.extract(copy[generated.from]) : await generated.make(source, tools)
    } catch (error) {
      if (error instanceof RenderError)
        throw validationErrorAt(path, 'markdown', `${error.message}; shorten or simplify it`)
      throw error
    }
  }
}

/**
 * Makes the values that a write stores for the fields it names: defaults, canonical forms, generated values, keys of items.
 *
 * @param stored the document as it is; `undefined` for a new one, which gets every field
 * @throws VALIDATION_ERROR when a text cannot be rendered
 */
export async function prepareFields(
  document: DocumentModel,
  input: Values,
  stored: Values | undefined,
  tools: FieldWriteTools,
): Promise<Values> {
  const settled: Values = {}
  for (const model of document.fields) {
    const isNamed = Object.hasOwn(input, model.key)
    if (!isNamed && stored) continue
    const value = isNamed ? input[model.key] : initialValue(model.field, model.key, tools)
    await settleField(model, value, settled, stored, tools)
    const { key, field } = model
    if (holdsItemKeys(field))
      settled[key] = withItemKeys(
        field,
        settled[key],
        tools.localeDocuments().map((version) => version[key]),
      )
  }
  return settled
}

async function settleField(
  { key, field }: FieldModel,
  value: unknown,
  settled: Values,
  stored: Values | undefined,
  tools: FieldWriteTools,
): Promise<void> {
  const tasks: Task[] = []
  settled[key] = toCanonicalValue(field, { field: key, path: `/${key}` }, value, tasks, tools)
  for (const generated of generatedValues(key, field)) {
    if (stored?.[generated.key] != null && stored[key] === settled[key]) settled[generated.key] = stored[generated.key]
    else tasks.push(generate(generated, settled, settled[key], `/${key}`, tools))
  }
  for (const task of tasks) await task()
}

/** Puts settled fields over a stored document, in the order of the config. */
export function mergeFields(document: DocumentModel, stored: Values, settled: Values): Values {
  const merged: Values = {}
  for (const { servedKeys } of document.fields) {
    for (const key of servedKeys) merged[key] = (Object.hasOwn(settled, key) ? settled[key] : stored[key]) ?? null
  }
  return merged
}

/** What a writer cannot read, and what the write says of it. */
export interface HiddenWrite {
  readonly hidden: ReadonlySet<string>
  readonly input: Values
}

/**
 * Checks that every required field holds something, however deep it lies. Of a hidden field only the value that the writer
 * gives is checked: the stored one must not decide about the answer.
 *
 * @throws VALIDATION_ERROR with one issue for each that does not
 */
export function requireRequiredFields(
  document: DocumentModel,
  values: Values,
  { hidden, input: given }: HiddenWrite,
): void {
  const checked = document.fields.filter(({ key }) => !hidden.has(key) || Object.hasOwn(given, key))
  const missing = checked.flatMap((field) =>
    findMissingFields(field, (hidden.has(field.key) ? given : values)[field.key]),
  )
  const issues = missing.map((path) => createIssue(path, 'required', 'is required'))
  if (issues.length > 0) throw validationError(issues)
}

/** The paths of required fields that hold nothing, in the value of a top-level field. */
export const findMissingFields = ({ key, field }: FieldModel, value: unknown): readonly string[] =>
  missingIn(field, value, `/${key}`)

function missingIn(field: Field, value: unknown, path: string): readonly string[] {
  if (isEmpty(value)) return isRequired(field) ? [path] : []
  return getInnerValues(field, value, path).flatMap((inner) => missingIn(inner.field, inner.value, inner.path))
}

/** A value inside another one. */
interface InnerValue {
  readonly field: Field
  readonly value: unknown
  /** Its key; empty for an item of a list. */
  readonly key: string
  /** Its JSON Pointer (RFC 6901). */
  readonly path: string
}

/**
 * The values inside a container, blocks with their place among the others.
 *
 * @param path the JSON Pointer to the container
 */
export function getInnerValues({ type, options }: Field, container: unknown, path: string): readonly InnerValue[] {
  const inner: InnerValue[] = []
  let around = path
  type.walk?.(container, options, {
    enter: (_fields, value, index) => {
      if (index !== undefined) around = `${path}/${index}`
      return value
    },
    value: (field, value, key) => {
      inner.push({ field, value, key, path: key === '' ? `${path}/${inner.length}` : `${around}/${key}` })
      return value
    },
    generated: () => {},
  })
  return inner
}

/** Returns true if a value counts as none: text of white space alone does. The schemas of required texts say the same. */
export const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (typeof value === 'string' && !/\S/.test(value)) ||
  (Array.isArray(value) && value.length === 0)

/** Brings a document that an older config wrote into the present schema: new fields are empty, unknown ones are left out. */
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
      generated: (generated, copy, _source, stored) => {
        copy[generated.key] = toCurrentGenerated(generated, stored, copy)
      },
    }) ?? value
  )
}

/** An extracted value is extracted again: the stored one may be of a text before the config left it out for a while. */
const toCurrentGenerated = (generated: Generated, stored: unknown, values: Values): unknown =>
  readGenerated(generated, 'extract' in generated ? null : stored, (key) => values[key])

/** A document's orphaned values, as JSON: those that only an earlier config had a field for. They stay until `daybook migrate --allow-loss` drops them. */
export function collectOrphaned(
  document: DocumentModel,
  { orphaned, doc }: { readonly orphaned: string | null; readonly doc: string },
  stored: Values = JSON.parse(doc),
): string | null {
  return toOrphanedText(pickUnplaced(document, withOrphanedValues(stored, orphaned)))
}

const toOrphanedText = (values: Values): string | null =>
  Object.keys(values).length > 0 ? JSON.stringify(values) : null

/** A stored document with its orphaned values: a field that came back has its value again. */
export const withOrphanedValues = (stored: Values, orphaned: string | null | undefined): Values =>
  orphaned ? withUnplaced(stored, JSON.parse(orphaned)) : stored

/** Values of a document with {@link pickUnplaced} ones in place of what is shown instead. */
export function withUnplaced(values: Values, hidden: Values): Values {
  const parts = Object.entries(hidden).map(([key, part]) => {
    const value = values[key]
    return [key, isRecord(value) && isRecord(part) ? withUnplaced(value, part) : part]
  })
  return { ...values, ...Object.fromEntries(parts) }
}

/** The values of a stored document that the present config has no place for; of a group, the part that has none. */
export function pickUnplaced(document: DocumentModel, stored: Values): Values {
  const system = new Set([...document.systemKeys.before, ...document.systemKeys.after])
  const entries = Object.entries(stored).filter(([key]) => !system.has(key))
  return unplacedAmong(document.fieldMap, Object.fromEntries(entries))
}

function unplacedAmong(fields: Fields, values: Values): Values {
  const generated = new Set(Object.entries(fields).flatMap(([key, field]) => servedKeys(key, field)))
  const parts = Object.entries(values).flatMap(([key, value]) => {
    const field = fields[key]
    const part = field ? unplacedPart(field, value) : generated.has(key) ? null : value
    return part === null || part === undefined ? [] : [[key, part] as const]
  })
  return Object.fromEntries(parts)
}

function unplacedPart(field: Field, value: unknown): unknown {
  const [fields] = innerFields(field)
  if (!field.type.isGroup || !fields || !isRecord(value)) return losesAny(field, value) ? value : null
  const part = unplacedAmong(fields, value)
  return Object.keys(part).length > 0 ? part : null
}

/** The orphaned values that stay beside a document once it holds these values: each stays until a write changes what is shown in its place. */
export function keepOrphaned(document: DocumentModel, values: Values, orphaned: string | null): string | null {
  return orphaned === null ? null : toOrphanedText(stillAmong(document.fieldMap, values, JSON.parse(orphaned)))
}

function stillAmong(fields: Fields, values: Values, orphaned: Values): Values {
  const parts = Object.entries(orphaned).flatMap(([key, hidden]) => {
    const field = fields[key]
    const part = field ? stillPart(field, values[key], hidden) : hidden
    return part === null ? [] : [[key, part] as const]
  })
  return Object.fromEntries(parts)
}

function stillPart(field: Field, value: unknown, hidden: unknown): unknown {
  const [fields] = innerFields(field)
  if (field.type.isGroup && fields && isRecord(value) && isRecord(hidden)) {
    const part = stillAmong(fields, value, hidden)
    return Object.keys(part).length > 0 ? part : null
  }
  const shown = toCurrentValue(field, hidden)
  return JSON.stringify(shown) === JSON.stringify(value ?? emptyValue(field)) ? hidden : null
}

/** A value that would be lost with what the config has no place for. */
export interface UnplacedValue {
  /** The dotted path of its field; the items of a list share one. */
  readonly path: string
  /** The validation error of the field; absent if the model has no such field. */
  readonly refused?: unknown
}

/** Every value in unplaced values, however deep it lies. A status is no loss: another has taken its place. */
export function findUnplacedValues({ fieldMap }: DocumentModel, values: Values): readonly UnplacedValue[] {
  const found: UnplacedValue[] = []
  findAmong(fieldMap, values, '', found)
  return found
}

/** The keys that an object of these fields may have. */
const placedKeys = (fields: Fields): ReadonlySet<string> =>
  new Set([ITEM_KEY, '_type', ...Object.entries(fields).flatMap(([key, field]) => servedKeys(key, field))])

function findAmong(fields: Fields, values: Values, prefix: string, found: UnplacedValue[]): void {
  const placed = placedKeys(fields)
  for (const [key, value] of Object.entries(values)) {
    const field = fields[key]
    if (field) findInside(field, value, `${prefix}${key}`, found)
    else if (!placed.has(key)) found.push(...leafPaths(value, `${prefix}${key}`).map((path) => ({ path })))
  }
}

function findInside(field: Field, value: unknown, path: string, found: UnplacedValue[]): void {
  const { type, options } = field
  if (value === null || value === undefined || type.role === 'status') return
  if (!type.accepts(value, options)) {
    if (type.convertFormer?.(value, options) === undefined)
      found.push(...refusedParts(field, value).map((refused) => ({ path, refused })))
    return
  }
  type.walk?.(value, options, {
    enter: (fields, source) => {
      const unplacedEntries = Object.entries(source).filter(([key]) => !Object.hasOwn(fields, key))
      findAmong(fields, Object.fromEntries(unplacedEntries), `${path}.`, found)
      return source
    },
    value: (inner, innerValue, key) => {
      findInside(inner, innerValue, key === '' ? path : `${path}.${key}`, found)
      return innerValue
    },
    generated: () => {},
  })
}

/** The items that a list is refused for, blocks by their type; else the value itself. */
function refusedParts({ type, options }: Field, value: unknown): readonly unknown[] {
  const items = Array.isArray(value) ? value.filter((item) => !type.accepts([item], options)) : []
  return items.length > 0 ? items.map((item) => (isRecord(item) && '_type' in item ? item._type : item)) : [value]
}

/** Dotted paths of everything that holds a value; the items of a list share one. */
function leafPaths(value: unknown, path: string): readonly string[] {
  if (value === null || value === undefined) return []
  const inner = Array.isArray(value)
    ? value.flatMap((item) => leafPaths(item, path))
    : isRecord(value)
      ? Object.entries(value).flatMap(([key, one]) => leafPaths(one, `${path}.${key}`))
      : [path]
  return [...new Set(inner)]
}

/** Whether a stored value, or one inside it, has no place in the present config. */
function losesAny(field: Field, value: unknown): boolean {
  if (value === null || value === undefined) return false
  if (!field.type.accepts(value, field.options)) return field.type.convertFormer?.(value, field.options) === undefined
  let isLost = false
  field.type.walk?.(value, field.options, {
    enter: (fields, stored) => {
      const placed = placedKeys(fields)
      isLost ||= Object.keys(stored).some((key) => stored[key] !== null && !placed.has(key))
      return stored
    },
    value: (inner, innerValue) => {
      isLost ||= losesAny(inner, innerValue)
      return innerValue
    },
    generated: () => {},
  })
  return isLost
}

/** Every reference inside a document, by the dotted path of its field. */
export const findReferences = (document: DocumentModel, values: Values): readonly FieldReference[] =>
  findPlacedReferences(document, values).map(({ reference }) => reference)

/** A reference, and the place where it stands. */
export interface PlacedReference {
  readonly reference: FieldReference
  /** JSON Pointer (RFC 6901) to the value that holds it. */
  readonly path: string
}

/** Every reference inside a document, with its place. */
export const findPlacedReferences = (document: DocumentModel, values: Values): readonly PlacedReference[] =>
  document.fields.flatMap(({ key, field }) => collect(field, values[key], { field: key, path: `/${key}` }))

function collect(
  field: Field,
  value: unknown,
  place: { readonly field: string; readonly path: string },
): readonly PlacedReference[] {
  if (value === null || value === undefined) return []
  const references = field.type.references?.(value, field.options) ?? []
  const direct = references.map((reference) => ({ reference: { ...reference, field: place.field }, path: place.path }))
  const inner = getInnerValues(field, value, place.path).flatMap((one) =>
    collect(one.field, one.value, {
      field: one.key === '' ? place.field : `${place.field}.${one.key}`,
      path: one.path,
    }),
  )
  return [...direct, ...inner]
}

/** Which keys of a body exist for the caller. */
interface KnownKeys {
  readonly absent: ReadonlySet<string>
  readonly hasAuthors: boolean
}

/**
 * A body as the fields it names: read-only keys are dropped.
 *
 * @param rights of the caller: fields that do not exist for them are not known, nor are the values generated from those
 */
export function dropIgnoredKeys(document: DocumentModel, body: unknown, rights: KnownKeys): Values {
  if (!isRecord(body)) throw validationErrorAt('/', 'type', 'must be an object of fields', { types: ['object'] })
  const unknown = getServedKeys(document, rights.absent)
  const isIgnored = (key: string): boolean =>
    (document.ignoredKeys.has(key) && !unknown.has(key)) || (rights.hasAuthors && AUTHOR_KEYS.includes(key))
  return Object.fromEntries(Object.entries(body).filter(([key]) => !isIgnored(key)))
}

/** The keys of top-level fields, and of the values generated from them. */
export function getServedKeys(
  { fields, reverseFields: reverses }: DocumentModel,
  keys: ReadonlySet<string>,
): ReadonlySet<string> {
  return new Set(
    [...fields, ...reverses.values()].filter(({ key }) => keys.has(key)).flatMap(({ servedKeys }) => servedKeys),
  )
}
