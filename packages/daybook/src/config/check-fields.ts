import {
  type FaultReport,
  type Field,
  type FieldPlace,
  type Fields,
  innerFields,
  isGuarded,
  isRecord,
} from '../fields/field.ts'
import { isKey, MAX_KEY_LENGTH } from '../fields/option-rules.ts'
import { DRAFT_KEYS } from '../fields/status.ts'

/** The keys of every document. */
const SYSTEM_KEYS: readonly string[] = ['id', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'key']
/** Keywords of filters, which cannot be keys of fields. */
const FILTER_WORDS: readonly string[] = ['and', 'or', 'not']

/** The advice for an invalid key. */
export const KEY_ADVICE: string = `write a key of at most ${MAX_KEY_LENGTH} letters, digits and _ that starts with a small letter`

interface Surroundings {
  /** The key of the collection; `undefined` in a global. */
  readonly collection: string | undefined
  readonly collections: readonly string[]
  fieldsOf(collection: string): Fields | undefined
  readonly hasLocales: boolean
  readonly nested: boolean
  /** True if the field around them has a rule for reading. */
  readonly guarded: boolean
}

/** Checks the fields of a collection or global, and the fields inside them. */
export function checkFields(fields: unknown, path: string, around: Surroundings, report: FaultReport): void {
  if (!isRecord(fields) || Object.keys(fields).length === 0) {
    report.add(path, 'write at least one field, such as { title: f.text() }')
    return
  }
  checkCase(Object.keys(fields), path, report)
  const usedKeys = new Set(around.nested ? ['_type'] : [...SYSTEM_KEYS, ...(hasStatus(fields) ? DRAFT_KEYS : [])])
  for (const [key, field] of Object.entries(fields)) {
    const guarded = around.guarded || isGuarded(field)
    const place: FieldPlace = {
      path: `${path}.${key}`,
      siblings: fields as Fields,
      collection: around.collection,
      collections: around.collections,
      fieldsOf: around.fieldsOf,
      isNested: around.nested,
      isGuarded: guarded,
      checkNested: (inner, innerPath) => checkFields(inner, innerPath, { ...around, nested: true, guarded }, report),
    }
    checkFieldKey(key, place.path, report)
    checkField(field, place, around, report)
    for (const servedKey of getServedKeys(key, field)) {
      if (usedKeys.has(servedKey)) report.add(place.path, `"${servedKey}" is taken. Choose another key`)
      usedKeys.add(servedKey)
    }
  }
  if (around.nested) return
  checkRoles(fields, path, report)
  checkRenames(fields, path, report)
}

/** Returns true if entries have a status, and so drafts, whose reads have further keys. */
const hasStatus = (fields: object): boolean =>
  Object.values(fields).some((field) => isRecord(field) && isRecord(field.type) && field.type.role === 'status')

function checkFieldKey(key: string, path: string, report: FaultReport): void {
  if (!isKey(key)) report.add(path, KEY_ADVICE)
  if (key in Object.prototype || key === 'prototype') report.add(path, 'choose another key: every object has this one')
  if (FILTER_WORDS.includes(key)) report.add(path, `"${key}" is reserved for filters. Choose another key`)
}

const getServedKeys = (key: string, field: unknown): readonly string[] => {
  const { type, options } = (isRecord(field) ? field : {}) as Partial<Field>
  const generated = (options && type?.generated?.(key, options)) ?? []
  return [key, ...generated.map((value) => value.key)]
}

function checkField(field: unknown, place: FieldPlace, { hasLocales }: Surroundings, report: FaultReport): void {
  if (!isRecord(field) || !isRecord(field.type) || !isRecord(field.options)) {
    report.add(place.path, 'write a field, such as f.text()')
    return
  }
  const { type, options } = field as unknown as Field
  checkOptions(type, options, place.path, report)
  if (place.isNested && options.access)
    report.add(`${place.path}.access`, 'put it on the top-level field around this one')
  if (options.fill !== undefined) checkFill(field as unknown as Field, place, report)
  if (place.isNested && type.isUnique?.(options))
    report.add(`${place.path}.unique`, 'only top-level fields can be unique')
  if (options.localized && !hasLocales) {
    report.add(`${place.path}.localized`, 'name the locales: locales: { default: "en", available: ["en", "de"] }')
  }
  if (options.localized) checkLocalized(field as unknown as Field, place, report)
  if (isGuarded(field) && type.isUnique?.(options)) {
    report.add(
      `${place.path}.unique`,
      'leave it out, or leave access.read out: a 409 would tell which values are taken',
    )
  }
  type.check?.(options, place, report)
}

function checkFill({ type, options }: Field, place: FieldPlace, report: FaultReport): void {
  const path = `${place.path}.fill`
  if (place.isNested) report.add(path, 'put it on the top-level field around this one')
  if (type.role !== undefined) report.add(path, `leave it out: the service itself gives every entry a ${type.role}`)
  else if (typeof options.fill !== 'function' && type.isUnique?.(options))
    report.add(path, 'write a function of the entry: no two entries may hold the same value')
}

function checkLocalized({ type, options }: Field, { path }: FieldPlace, report: FaultReport): void {
  const inner = innerFields({ type, options }).flatMap((fields) => Object.values(fields))
  if (inner.some((innerField) => isRecord(innerField) && isRecord(innerField.options) && innerField.options.localized))
    report.add(`${path}.localized`, 'leave it out here, or inside: a field inside of it is localized, too')
}

function checkOptions(
  { name, rules }: Field['type'],
  options: Field['options'],
  path: string,
  report: FaultReport,
): void {
  for (const [option, value] of Object.entries(options)) {
    const rule = Object.hasOwn(rules, option) ? rules[option] : undefined
    const unknown = `f.${name}() has no such option. It takes: ${Object.keys(rules).join(', ')}`
    const advice = rule ? value !== undefined && rule(value) : unknown
    if (advice) report.add(`${path}.${option}`, advice)
  }
}

const getRole = (field: unknown): string | undefined => (field as Partial<Field> | undefined)?.type?.role

function checkRoles(fields: Readonly<Record<string, unknown>>, path: string, report: FaultReport): void {
  const byRole = new Map<string, string>()
  for (const [key, field] of Object.entries(fields)) {
    const role = getRole(field)
    if (role === undefined) continue
    const other = byRole.get(role)
    if (other) report.add(`${path}.${key}`, `a collection has one ${role} field, and "${other}" is it`)
    byRole.set(role, key)
  }
}

/** Reports slugs and statuses in a global. */
export function refuseRoles(fields: unknown, path: string, report: FaultReport): void {
  for (const [key, field] of Object.entries(isRecord(fields) ? fields : {})) {
    const role = getRole(field)
    if (role) report.add(`${path}.${key}`, `a global has no ${role}; leave it out`)
  }
}

function checkRenames(fields: Readonly<Record<string, unknown>>, path: string, report: FaultReport): void {
  const from = new Map<string, string>()
  for (const [key, field] of Object.entries(fields)) {
    const former = (field as Partial<Field> | undefined)?.options?.renamedFrom
    if (former === undefined) continue
    if (Object.hasOwn(fields, former)) {
      report.add(`${path}.${key}.renamedFrom`, `"${former}" is still a field of its own. Rename it or leave this out`)
    }
    if (from.has(former))
      report.add(`${path}.${key}.renamedFrom`, `"${from.get(former)}" comes from "${former}" already`)
    from.set(former, key)
  }
}

/** Reports keys that differ only in case, which databases ignore. */
export function checkCase(keys: readonly string[], path: string, report: FaultReport): void {
  const seen = new Map<string, string>()
  for (const key of keys) {
    const other = seen.get(key.toLowerCase())
    if (other) report.add(`${path}.${key}`, `differs from "${other}" only in case. Choose another key`)
    seen.set(key.toLowerCase(), key)
  }
}
