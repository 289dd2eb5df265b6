import type { FaultReport, Field, FieldPlace, Fields } from '../fields/field.ts'
import { isRecord } from '../fields/field.ts'
import { aCount, aFlag, anObject, aText, isKey, MAX_KEY_LENGTH } from '../fields/rules.ts'

/** One thing that is wrong with a config: where, and what to write instead. */
export interface ConfigFault {
  readonly path: string
  readonly message: string
}

/** A config that cannot be served, with all of its faults. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly ConfigFault[]

  constructor(faults: readonly ConfigFault[]) {
    const lines = faults.map(({ path, message }) => `  ${path}: ${message}`)
    super(`The config has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${lines.join('\n')}`)
    this.faults = faults
  }
}

/** First path segments below `/api` that belong to the service. */
export const RESERVED_SEGMENTS: readonly string[] = [
  'globals',
  'assets',
  'health',
  'ready',
  'export',
  'cms',
  'auth',
  'events',
  'changes',
  'batch',
  'search',
  'mcp',
]

/** Keys that every document has of its own. */
export const SYSTEM_KEYS: readonly string[] = ['id', 'createdAt', 'updatedAt']

/** Names that the databases or Daybook's own views use. */
const TAKEN_NAME = /_view$|^(?:sqlite|pg)_/i

const KEY_ADVICE = `write a key of at most ${MAX_KEY_LENGTH} letters, digits and _ that starts with a small letter`

type Check = (value: unknown, path: string, report: FaultReport, config: Readonly<Record<string, unknown>>) => void

const isFunction: Check = (value, path, report) => {
  if (typeof value !== 'function') report.add(path, 'write a function')
}

const rule =
  (answer: (value: unknown) => string | undefined): Check =>
  (value, path, report) => {
    const instead = answer(value)
    if (instead) report.add(path, instead)
  }

const isText = rule(aText)
const isCount = rule(aCount)
const isFlag = rule(aFlag)

/** Checks an object's keys: each with its own check, unknown ones named. */
function checkKeys(checks: Readonly<Record<string, Check>>): Check {
  return (value, path, report, config) => {
    if (!isRecord(value)) return report.add(path, 'write an object')
    for (const [key, part] of Object.entries(value)) {
      const check = Object.hasOwn(checks, key) ? checks[key] : undefined
      if (!check)
        report.add(join(path, key), `there is no such option; write one of: ${Object.keys(checks).join(', ')}`)
      else if (part !== undefined) check(part, join(path, key), report, config)
    }
  }
}

const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)

const checkAccess = (actions: readonly string[]): Check =>
  checkKeys(Object.fromEntries(actions.map((action) => [action, isFunction])))

const checkOrigins: Check = (value, path, report) => {
  const isOrigin = (origin: unknown): boolean => {
    try {
      return typeof origin === 'string' && new URL(origin).origin === origin
    } catch {
      return false
    }
  }
  if (!Array.isArray(value) || !value.every(isOrigin)) {
    report.add(path, 'write exact origins, such as ["https://www.example.org"]')
  }
}

const LOCALE = /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i

const checkLocales: Check = (value, path, report, config) => {
  checkKeys({ default: isText, available: () => undefined, fallback: rule(anObject) })(value, path, report, config)
  if (!isRecord(value)) return
  const available: readonly unknown[] = Array.isArray(value['available']) ? value['available'] : []
  const usable = available.every((locale) => typeof locale === 'string' && LOCALE.test(locale))
  if (available.length === 0 || !usable || new Set(available).size !== available.length) {
    report.add(`${path}.available`, 'write a list of different BCP 47 tags, such as ["en", "pt-br"]')
  }
  const known = `write one of: ${available.join(', ')}`
  if (!available.includes(value['default'])) report.add(`${path}.default`, known)
  for (const [locale, chain] of Object.entries(isRecord(value['fallback']) ? value['fallback'] : {})) {
    if (!available.includes(locale)) report.add(`${path}.fallback.${locale}`, known)
    const holds = Array.isArray(chain) && chain.every((next) => next !== locale && available.includes(next))
    if (!holds) report.add(`${path}.fallback.${locale}`, `write a list of other locales; ${known}`)
  }
}

/** Checks one field: that it is one, its options, and what its type has to say. */
function checkField(field: unknown, place: FieldPlace, report: FaultReport, hasLocales: boolean): void {
  if (!isRecord(field) || !isRecord(field['type']) || !isRecord(field['options'])) {
    return report.add(place.path, 'write a field, such as f.text()')
  }
  const { type, options } = field as unknown as Field
  for (const [option, value] of Object.entries(options)) {
    const instead = Object.hasOwn(type.rules, option)
      ? value === undefined
        ? undefined
        : type.rules[option]?.(value)
      : `f.${type.name}() has no such option; it takes: ${Object.keys(type.rules).join(', ')}`
    if (instead) report.add(`${place.path}.${option}`, instead)
  }
  if (place.nested && options.access)
    report.add(`${place.path}.access`, 'put it on the top-level field around this one')
  if (place.nested && 'unique' in options) report.add(`${place.path}.unique`, 'only top-level fields can be unique')
  if (options.localized && !hasLocales)
    report.add(`${place.path}.localized`, 'name the locales: locales: { default: "en", available: ["en", "de"] }')
  type.check?.(options, place, report)
}

function checkFields(
  fields: unknown,
  path: string,
  outer: Pick<FieldPlace, 'collections' | 'nested'>,
  report: FaultReport,
  hasLocales: boolean,
): void {
  if (!isRecord(fields) || Object.keys(fields).length === 0) {
    return report.add(path, 'write at least one field, such as { title: f.text() }')
  }
  checkCase(Object.keys(fields), path, report)
  const served = new Set(outer.nested ? ['_type'] : [...SYSTEM_KEYS, 'key'])
  for (const [key, field] of Object.entries(fields)) {
    const place: FieldPlace = {
      ...outer,
      path: `${path}.${key}`,
      siblings: fields as Fields,
      checkNested: (inner, innerPath) => checkFields(inner, innerPath, { ...outer, nested: true }, report, hasLocales),
    }
    if (!isKey(key)) report.add(place.path, KEY_ADVICE)
    checkField(field, place, report, hasLocales)
    for (const servedKey of servedKeysOf(key, field)) {
      if (served.has(servedKey)) report.add(place.path, `"${servedKey}" is taken; choose another key`)
      served.add(servedKey)
    }
  }
  if (!outer.nested) checkRoles(fields as Fields, path, report)
}

const servedKeysOf = (key: string, field: unknown): readonly string[] => {
  const { type, options } = (isRecord(field) ? field : {}) as Partial<Field>
  const generated = options && type?.generated?.(key, options)
  return generated ? [key, generated.key] : [key]
}

function checkRoles(fields: Fields, path: string, report: FaultReport): void {
  const byRole = new Map<string, string>()
  for (const [key, field] of Object.entries(fields)) {
    const role = field?.type?.role
    if (role === undefined) continue
    const other = byRole.get(role)
    if (other) report.add(`${path}.${key}`, `a collection has one ${role} field, and "${other}" is it`)
    byRole.set(role, key)
  }
}

function checkRenames(fields: unknown, path: string, report: FaultReport): void {
  const from = new Map<string, string>()
  for (const [key, field] of Object.entries(isRecord(fields) ? fields : {})) {
    const old = (field as Partial<Field> | undefined)?.options?.renamedFrom
    if (old === undefined || !isRecord(fields)) continue
    if (Object.hasOwn(fields, old)) {
      report.add(`${path}.${key}.renamedFrom`, `"${old}" is still a field of its own; rename it or leave this out`)
    }
    if (from.has(old)) report.add(`${path}.${key}.renamedFrom`, `"${from.get(old)}" comes from "${old}" already`)
    from.set(old, key)
  }
}

function checkDocuments(kind: 'collections' | 'globals', options: Readonly<Record<string, Check>>): Check {
  return (value, path, report, config) => {
    if (!isRecord(value)) return report.add(path, `write an object of ${kind}`)
    const collections = Object.keys(isRecord(config['collections']) ? config['collections'] : {})
    const hasLocales = config['locales'] !== undefined
    checkCase(Object.keys(value), path, report)
    for (const [key, document] of Object.entries(value)) {
      const place = `${path}.${key}`
      if (!isKey(key)) report.add(place, KEY_ADVICE)
      if (kind === 'collections' && RESERVED_SEGMENTS.includes(key)) {
        report.add(place, `/api/${key} belongs to the service; choose another key, such as ${key}Items`)
      }
      if (TAKEN_NAME.test(key))
        report.add(place, 'choose a key that neither ends in _view nor starts with sqlite_ or pg_')
      checkKeys({ ...options, fields: () => undefined })(document, place, report, config)
      const fields = isRecord(document) ? document['fields'] : undefined
      checkFields(fields, `${place}.fields`, { collections, nested: false }, report, hasLocales)
      checkRenames(fields, `${place}.fields`, report)
      if (kind === 'globals') refuseRoles(fields, `${place}.fields`, report)
    }
  }
}

/** Databases do not tell Posts from posts. */
function checkCase(keys: readonly string[], path: string, report: FaultReport): void {
  const seen = new Map<string, string>()
  for (const key of keys) {
    const other = seen.get(key.toLowerCase())
    if (other) report.add(`${path}.${key}`, `differs from "${other}" by case alone; choose another key`)
    seen.set(key.toLowerCase(), key)
  }
}

function refuseRoles(fields: unknown, path: string, report: FaultReport): void {
  for (const [key, field] of Object.entries(isRecord(fields) ? fields : {})) {
    const role = (field as Partial<Field> | undefined)?.type?.role
    if (role) report.add(`${path}.${key}`, `a global has no ${role}; leave it out`)
  }
}

const DOCUMENT_OPTIONS = { description: isText, requireIfMatch: isFlag }

const checkTop = checkKeys({
  collections: checkDocuments('collections', {
    ...DOCUMENT_OPTIONS,
    access: checkAccess(['read', 'create', 'update', 'delete']),
    maxLimit: isCount,
  }),
  globals: checkDocuments('globals', { ...DOCUMENT_OPTIONS, access: checkAccess(['read', 'update']) }),
  locales: checkLocales,
  auth: checkKeys({
    getCapabilities: isFunction,
    getPrincipal: isFunction,
    getIdentity: isFunction,
    invoke: isFunction,
    handleRequest: isFunction,
  }),
  cors: checkKeys({ origins: checkOrigins, credentials: isFlag }),
  limits: checkKeys({ bodyBytes: isCount, renderMs: isCount }),
  publicCacheControl: isText,
  seed: isFunction,
})

/** Everything that is wrong with a config; empty when it can be served. */
export function checkConfig(config: unknown): readonly ConfigFault[] {
  const faults: ConfigFault[] = []
  const report: FaultReport = { add: (path, message) => void faults.push({ path, message }) }
  if (!isRecord(config)) {
    report.add('config', 'export a config as the default: export default defineConfig({ … })')
    return faults
  }
  checkTop(config, '', report, config)
  if (!isRecord(config['collections'])) report.add('collections', 'describe at least one collection')
  return faults
}
