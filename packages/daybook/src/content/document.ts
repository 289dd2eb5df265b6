import { type Issue, invalid, invalidAt } from '../errors.ts'
import type { DefaultRule, DeriveTools, Field, Generated } from '../fields/field.ts'
import { emptyValue, innerFields, isRecord, isRequired, servedKeys } from '../fields/field.ts'
import type { DocumentModel, FieldModel } from '../model/model.ts'
import { PEOPLE_KEYS } from '../model/people.ts'
import type { FieldReference } from '../store/reads/rows.ts'
import type { Defaults } from './defaults.ts'
import { RenderError } from './markdown/markdown-renderer.ts'

/** A document's values by served key. */
export type Values = Record<string, unknown>

/** Makes values of unnamed fields, and those that are generated from others. */
export interface SettleTools extends DeriveTools {
  /** Makes the defaults of this write. */
  readonly defaults: Defaults
}

/** What an unnamed field of a new document holds. */
function initialValue(field: Field, path: string, { defaults }: SettleTools): unknown {
  const initial = field.type.default?.(field.options)
  return (
    (typeof initial === 'function' ? defaults.make(field, path, initial as DefaultRule) : initial) ?? emptyValue(field)
  )
}

type Task = () => Promise<void>

/** Brings a valid value into the form it is stored in; what is generated from it is left to the tasks. */
function toCanonicalValue(field: Field, path: string, value: unknown, tasks: Task[], tools: SettleTools): unknown {
  // In one locale, no list is not an empty list: it falls back.
  if (value === null || value === undefined) return field.options.localized === true ? null : emptyValue(field)
  const walked =
    field.type.walk?.(value, field.options, {
      value: (inner, innerValue, key) => {
        const place = key === '' ? path : `${path}.${key}`
        const own = innerValue === undefined ? initialValue(inner, place, tools) : innerValue
        return toCanonicalValue(inner, place, own, tasks, tools)
      },
      generated: (generated, copy, source) => {
        // Holds the place, so that keys keep the order of the config.
        copy[generated.key] = null
        tasks.push(generate(generated, copy, source, tools))
      },
    }) ?? value
  return field.type.canonical?.(walked, field.options) ?? walked
}

function generate(generated: Generated, copy: Values, source: unknown, tools: DeriveTools): Task {
  return async () => {
    copy[generated.key] = await generated.make(source, tools)
  }
}

/**
 * Makes the values that a write stores for the fields it names: defaults, canonical forms, generated values.
 *
 * @param stored the document as it is; `undefined` for a new one, which gets every field
 * @throws VALIDATION_ERROR when a text cannot be rendered
 */
export async function settleFields(
  document: DocumentModel,
  input: Values,
  stored: Values | undefined,
  tools: SettleTools,
): Promise<Values> {
  const settled: Values = {}
  for (const model of document.fields) {
    const isNamed = Object.hasOwn(input, model.key)
    if (!isNamed && stored) continue
    const value = isNamed ? input[model.key] : initialValue(model.field, model.key, tools)
    await settleField(model, value, settled, stored, tools)
  }
  return settled
}

async function settleField(
  { key, field }: FieldModel,
  value: unknown,
  settled: Values,
  stored: Values | undefined,
  tools: SettleTools,
): Promise<void> {
  const tasks: Task[] = []
  settled[key] = toCanonicalValue(field, key, value, tasks, tools)
  const generated = field.type.generated?.(key, field.options)
  if (generated && stored?.[generated.key] != null && stored[key] === settled[key])
    settled[generated.key] = stored[generated.key]
  else if (generated) tasks.push(generate(generated, settled, settled[key], tools))
  try {
    for (const task of tasks) await task()
  } catch (error) {
    if (error instanceof RenderError) throw invalidAt(`/${key}`, 'markdown', `${error.message}; shorten or simplify it`)
    throw error
  }
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
export interface Unread {
  readonly hidden: ReadonlySet<string>
  readonly given: Values
}

/**
 * Checks that every required field holds something, however deep it lies. Of a hidden field only the value that the writer
 * gives is checked: the stored one must not decide about the answer.
 *
 * @throws VALIDATION_ERROR with one issue for each that does not
 */
export function requireRequired(document: DocumentModel, values: Values, { hidden, given }: Unread): void {
  const checked = document.fields.filter(({ key }) => !hidden.has(key) || Object.hasOwn(given, key))
  const missing = checked.flatMap((field) => missingFields(field, (hidden.has(field.key) ? given : values)[field.key]))
  const issues: Issue[] = missing.map((path) => ({ path, code: 'required', message: 'is required' }))
  if (issues.length > 0) throw invalid(issues)
}

/** The paths of required fields that hold nothing, in the value of a top-level field. */
export const missingFields = ({ key, field }: FieldModel, value: unknown): readonly string[] =>
  missingIn(field, value, `/${key}`)

function missingIn(field: Field, value: unknown, path: string): readonly string[] {
  if (isEmpty(value)) return isRequired(field) ? [path] : []
  const missing: string[] = []
  let item = 0
  field.type.walk?.(value, field.options, {
    value: (inner, innerValue, key) => {
      missing.push(...missingIn(inner, innerValue, `${path}/${key === '' ? item++ : key}`))
      return innerValue
    },
    generated: () => {},
  })
  return missing
}

/** Whether a value counts as none. */
export const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

/** Brings a document that an older config wrote into the present schema: new fields are empty, unknown ones are left out. */
export function toCurrentSchema(document: DocumentModel, stored: Values): Values {
  const values: Values = {}
  for (const { key, field, servedKeys } of document.fields) {
    values[key] = toCurrentValue(field, stored[key])
    for (const generated of servedKeys) if (generated !== key) values[generated] = stored[generated] ?? null
  }
  return values
}

function toCurrentValue(field: Field, value: unknown): unknown {
  if (value === null || value === undefined) return emptyValue(field)
  if (!field.type.accepts(value, field.options)) {
    const { type, options } = field
    return type.adopt?.(value, options) ?? type.replacement?.(options, value) ?? emptyValue(field)
  }
  return (
    field.type.walk?.(value, field.options, {
      value: (inner, innerValue) => toCurrentValue(inner, innerValue),
      generated: (generated, copy, _source, stored) => {
        copy[generated.key] = stored ?? null
      },
    }) ?? value
  )
}

/** A document's orphaned values, as JSON: those that only an earlier config had a field for. They stay until `daybook migrate --allow-loss` drops them. */
export function orphanedIn(
  document: DocumentModel,
  { orphaned, doc }: { readonly orphaned: string | null; readonly doc: string },
  stored: Values = JSON.parse(doc),
): string | null {
  const left = unplaced(document, withOrphanedValues(document, stored, orphaned))
  return Object.keys(left).length > 0 ? JSON.stringify(left) : null
}

/** A stored document with its orphaned values: a field that came back has its value again. */
export function withOrphanedValues(
  { fieldMap }: DocumentModel,
  stored: Values,
  orphaned: string | null | undefined,
): Values {
  if (!orphaned) return stored
  const before: Values = JSON.parse(orphaned)
  const present = Object.entries(stored).filter(([, value]) => value !== null)
  return {
    ...before,
    ...Object.fromEntries(present.map(([key, value]) => [key, groupWithOrphaned(fieldMap[key], before[key], value)])),
  }
}

/** A value; that of a group with what the group held once and has no place for now. */
function groupWithOrphaned(field: Field | undefined, before: unknown, value: unknown): unknown {
  const [fields] = field ? innerFields(field) : []
  if (!fields || !isRecord(before) || !isRecord(value)) return value
  const inner = Object.entries(value).map(([key, one]) => [key, groupWithOrphaned(fields[key], before[key], one)])
  return { ...before, ...Object.fromEntries(inner) }
}

/** The values of a stored document that the present config has no place for. */
export function unplaced(document: DocumentModel, stored: Values): Values {
  const system = new Set([...document.systemKeys.before, ...document.systemKeys.after])
  const served = new Map(document.fields.flatMap((field) => field.servedKeys.map((key) => [key, field] as const)))
  const entries = Object.entries(stored).filter(([key, value]) => {
    if (system.has(key) || value === null) return false
    const model = served.get(key)
    return model === undefined || (model.key === key && losesAny(model.field, value))
  })
  return Object.fromEntries(entries)
}

/** Whether a stored value, or one inside it, has no place in the present config. */
function losesAny(field: Field, value: unknown): boolean {
  if (value === null || value === undefined) return false
  if (!field.type.accepts(value, field.options)) return field.type.adopt?.(value, field.options) === undefined
  let isLost = false
  field.type.walk?.(value, field.options, {
    enter: (fields, stored) => {
      const placed = new Set(['_type', ...Object.entries(fields).flatMap(([key, inner]) => servedKeys(key, inner))])
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
export function referencesOf(document: DocumentModel, values: Values): readonly FieldReference[] {
  return document.fields.flatMap(({ key, field }) => collect(field, values[key], key))
}

function collect(field: Field, value: unknown, path: string): readonly FieldReference[] {
  if (value === null || value === undefined) return []
  const own = field.type.references?.(value, field.options) ?? []
  const found = own.map((reference) => ({ ...reference, field: path }))
  field.type.walk?.(value, field.options, {
    value: (inner, innerValue, key) => {
      found.push(...collect(inner, innerValue, key === '' ? path : `${path}.${key}`))
      return innerValue
    },
    generated: () => {},
  })
  return found
}

/** Which keys of a body exist for the caller. */
interface KnownKeys {
  readonly absent: ReadonlySet<string>
  readonly hasPeople: boolean
}

/**
 * A body as the fields it names: read-only keys are dropped.
 *
 * @param rights of the caller: fields that do not exist for them are not known, nor are the values generated from those
 */
export function withoutIgnored(document: DocumentModel, body: unknown, rights: KnownKeys): Values {
  if (!isRecord(body)) throw invalidAt('/', 'type', 'must be an object of fields')
  const unknown = servedKeysOf(document, rights.absent)
  const isIgnored = (key: string): boolean =>
    (document.ignoredKeys.has(key) && !unknown.has(key)) || (rights.hasPeople && PEOPLE_KEYS.includes(key))
  return Object.fromEntries(Object.entries(body).filter(([key]) => !isIgnored(key)))
}

/** The keys of top-level fields, and of the values generated from them. */
export function servedKeysOf({ fields, reverses }: DocumentModel, keys: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(
    [...fields, ...reverses.values()].filter(({ key }) => keys.has(key)).flatMap(({ servedKeys }) => servedKeys),
  )
}
