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
import { unknownKey } from '../nearest.ts'
import { checkShowIf } from './check-show-if.ts'

/** The keys of every document. */
const SYSTEM_KEYS: readonly string[] = ['id', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'key']
/** Keywords of filters, which cannot be keys of fields. */
const FILTER_WORDS: readonly string[] = ['and', 'or', 'not']

/** The advice for an invalid key. */
export const KEY_ADVICE: string = `is not a valid key. Use at most ${MAX_KEY_LENGTH} letters, digits and _, and begin with a lower-case letter`

/** The advice for an option that only top-level fields have. */
const NESTED_ADVICE = 'is not allowed inside another field. Put it on the top-level field around this one'

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
    report.add(path, 'must have at least one field, such as { title: f.text() }')
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
      if (usedKeys.has(servedKey))
        report.add(place.path, `is not allowed, because the key "${servedKey}" is already used. Choose another key`)
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
  if (key in Object.prototype || key === 'prototype')
    report.add(path, 'is not allowed, because every object has this key. Choose another key')
  if (FILTER_WORDS.includes(key))
    report.add(path, `is not allowed, because "${key}" is reserved for filters. Choose another key`)
}

const getServedKeys = (key: string, field: unknown): readonly string[] => {
  const { type, options } = (isRecord(field) ? field : {}) as Partial<Field>
  const generated = (options && type?.generated?.(key, options)) ?? []
  return [key, ...generated.map((value) => value.key)]
}

function checkField(field: unknown, place: FieldPlace, { hasLocales }: Surroundings, report: FaultReport): void {
  if (!isRecord(field) || !isRecord(field.type) || !isRecord(field.options)) {
    report.add(place.path, 'must be a field, such as f.text()')
    return
  }
  const { type, options } = field as unknown as Field
  checkOptions(type, options, place.path, report)
  if (place.isNested && options.access) report.add(`${place.path}.access`, NESTED_ADVICE)
  if (place.isNested && options.admin) report.add(`${place.path}.admin`, NESTED_ADVICE)
  checkShowIf(field as unknown as Field, place, report)
  if (options.fill !== undefined) checkFill(field as unknown as Field, place, report)
  if (place.isNested && type.isUnique?.(options))
    report.add(`${place.path}.unique`, 'is not allowed inside another field. Only top-level fields can be unique')
  if (options.localized && !hasLocales) {
    report.add(
      `${place.path}.localized`,
      'needs locales in the config. Add them, such as locales: { default: "en", available: ["en", "de"] }',
    )
  }
  if (options.localized) checkLocalized(field as unknown as Field, place, report)
  if (isGuarded(field) && type.isUnique?.(options)) {
    report.add(
      `${place.path}.unique`,
      'is not allowed with access.read, because a 409 would tell which values exist. Leave one of them out',
    )
  }
  type.check?.(options, place, report)
}

function checkFill({ type, options }: Field, place: FieldPlace, report: FaultReport): void {
  const path = `${place.path}.fill`
  if (place.isNested) report.add(path, NESTED_ADVICE)
  if (type.role !== undefined)
    report.add(path, `is not needed, because the service gives every entry a ${type.role}. Leave it out`)
  else if (typeof options.fill !== 'function' && type.isUnique?.(options))
    report.add(path, 'must be a function of the entry, because no two entries can have the same value')
}

function checkLocalized({ type, options }: Field, { path }: FieldPlace, report: FaultReport): void {
  const inner = innerFields({ type, options }).flatMap((fields) => Object.values(fields))
  if (inner.some((innerField) => isRecord(innerField) && isRecord(innerField.options) && innerField.options.localized))
    report.add(
      `${path}.localized`,
      'is not allowed, because a field inside of it is localized, too. Leave one of them out',
    )
}

function checkOptions(
  { name, rules }: Field['type'],
  options: Field['options'],
  path: string,
  report: FaultReport,
): void {
  for (const [option, value] of Object.entries(options)) {
    const rule = Object.hasOwn(rules, option) ? rules[option] : undefined
    const advice = rule
      ? value !== undefined && rule(value)
      : unknownKey(`an option of f.${name}()`, option, Object.keys(rules))
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
    if (other)
      report.add(
        `${path}.${key}`,
        `is not allowed, because a collection has only one ${role} field, and "${other}" is it. Leave one of them out`,
      )
    byRole.set(role, key)
  }
}

/** Reports slugs and statuses in a global. */
export function refuseRoles(fields: unknown, path: string, report: FaultReport): void {
  for (const [key, field] of Object.entries(isRecord(fields) ? fields : {})) {
    const role = getRole(field)
    if (role) report.add(`${path}.${key}`, `is not allowed, because a global has no ${role}. Leave it out`)
  }
}

function checkRenames(fields: Readonly<Record<string, unknown>>, path: string, report: FaultReport): void {
  const from = new Map<string, string>()
  for (const [key, field] of Object.entries(fields)) {
    const former = (field as Partial<Field> | undefined)?.options?.renamedFrom
    if (former === undefined) continue
    if (Object.hasOwn(fields, former)) {
      report.add(
        `${path}.${key}.renamedFrom`,
        `is "${former}", which is still a field. Rename that field, or leave renamedFrom out`,
      )
    }
    if (from.has(former))
      report.add(
        `${path}.${key}.renamedFrom`,
        `is "${former}", from which "${from.get(former)}" is renamed already. Leave one of them out`,
      )
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
