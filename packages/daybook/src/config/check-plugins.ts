import { valid, validRange } from 'semver'
import { type FaultReport, isRecord } from '../fields/field.ts'
import { unknownKey } from '../nearest.ts'

/** The pattern of a plugin's name. */
const NAME = /^[a-z][a-z0-9-]*$/
const MAX_NAME_LENGTH = 48
const NAME_ADVICE = `must be a name of at most ${MAX_NAME_LENGTH} lower-case letters, digits and -, such as my-plugin`

export type PartCheck = (value: unknown, path: string, report: FaultReport) => void

/** Creates a check that reports the advice for invalid values. */
export const checkValue =
  (isValid: (value: unknown) => boolean, advice: string): PartCheck =>
  (value, path, report) => {
    if (!isValid(value)) report.add(path, advice)
  }

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_NAME_LENGTH && NAME.test(value)

/** Returns true if JSON can represent a value. Members that are `undefined` count as absent. */
export function isPlainData(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (Array.isArray(value)) return value.every(isPlainData)
  return isPlainObject(value) && Object.values(value).every((member) => member === undefined || isPlainData(member))
}

/** Returns true for an object without a class. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

const PLAIN_ADVICE = 'must be plain data: strings, numbers, booleans, null, and lists and objects of them'

const isPlainObjectOfData = (value: unknown): boolean => isPlainObject(value) && isPlainData(value)

const checkRequires: PartCheck = (value, path, report) => {
  if (!isRecord(value))
    return void report.add(path, "must be an object of versions by name, such as { daybook: '>=0.1', seo: '^2.0.0' }")
  for (const [name, range] of Object.entries(value)) {
    const isRange = typeof range === 'string' && validRange(range) !== null
    if (!isName(name)) report.add(`${path}.${name}`, NAME_ADVICE)
    else if (!isRange) report.add(`${path}.${name}`, 'must be a range of versions, such as "^1.2.0" or ">=0.1"')
  }
}

/** Creates a check of an object whose members are all checked alike. */
const byKey =
  (what: string, check: PartCheck): PartCheck =>
  (value, path, report) => {
    if (!isRecord(value)) return void report.add(path, `must be an object of ${what}`)
    for (const [key, member] of Object.entries(value)) check(member, `${path}.${key}`, report)
  }

const isObject = (what: string): PartCheck => checkValue(isRecord, `must be ${what}`)

const HOOKS = ['beforeValidate', 'beforeChange', 'afterCommit']

export const checkHooks: PartCheck = (value, path, report) => {
  if (!isRecord(value) || Object.keys(value).length === 0) {
    return void report.add(path, `must have at least one of: ${HOOKS.join(', ')}`)
  }
  for (const [name, run] of Object.entries(value)) {
    if (!HOOKS.includes(name)) report.add(`${path}.${name}`, unknownKey('an option', name, HOOKS))
    else if (typeof run !== 'function') report.add(`${path}.${name}`, 'must be a function')
  }
}

const HOOK_PARTS: Readonly<Record<string, PartCheck>> = {
  collections: byKey('hooks by the key of a collection, or * for all', checkHooks),
  globals: byKey('hooks by the key of a global, or * for all', checkHooks),
}

const PARTS: Readonly<Record<string, PartCheck>> = {
  name: checkValue(isName, NAME_ADVICE),
  version: checkValue(
    (value) => typeof value === 'string' && valid(value) === value,
    'must be a version, such as "1.0.0"',
  ),
  requires: checkRequires,
  after: checkValue(
    (value) => Array.isArray(value) && value.every(isName),
    'must be a list of names of plugins, such as ["sitemap"]',
  ),
  options: checkValue(isPlainObjectOfData, `${PLAIN_ADVICE}. Functions belong into setup`),
  system: checkValue((value) => typeof value === 'boolean', 'must be true or false'),
  collections: byKey('collections', isObject('a collection, such as defineCollection({ fields: { … } })')),
  globals: byKey('globals', isObject('a global, such as defineGlobal({ fields: { … } })')),
  fields: byKey(
    'fields by the key of a collection or global',
    isObject('an object of fields, such as { title: f.text() }'),
  ),
  hooks: checkParts(HOOK_PARTS),
  routes: checkValue(Array.isArray, 'must be a list of routes'),
  startPage: checkValue(
    (value) => typeof value === 'string' && /^\/[!-~]+$/.test(value),
    'must be the path of a page, such as "/studio"',
  ),
  missingSecrets: byKey(
    'advice by the path of an option',
    checkValue(
      (value) => typeof value === 'string' && value !== '',
      'must be a string that says how to get the secret',
    ),
  ),
  studio: checkValue(isPlainObjectOfData, PLAIN_ADVICE),
  setup: checkValue((value) => typeof value === 'function', 'must be a function'),
}

export const PLUGIN_PARTS: readonly string[] = Object.keys(PARTS)

const checkPluginParts = checkParts(PARTS, ['name', 'version'])

/** Checks the parts of plugins. Their collections and fields are checked with those of the config. */
export function checkPlugins(plugins: unknown, report: FaultReport): void {
  if (!Array.isArray(plugins)) return void report.add('plugins', 'must be a list of plugins, such as [redirects()]')
  const seen = new Set<unknown>()
  for (const [index, plugin] of plugins.entries()) {
    const name: unknown = isRecord(plugin) ? plugin.name : undefined
    const path = isName(name) ? `plugins.${name}` : `plugins.${index}`
    checkPlugin(plugin, path, report)
    if (isName(name) && seen.has(name)) {
      report.add(
        path,
        'is already used as the name of another plugin in the list. Leave one out, or rename one that is yours',
      )
    }
    seen.add(name)
  }
}

function checkPlugin(plugin: unknown, path: string, report: FaultReport): void {
  if (typeof plugin === 'function')
    return void report.add(path, 'is a function. Call it, because the plugin is what it returns')
  if (!isRecord(plugin)) return void report.add(path, 'must be a plugin, such as definePlugin({ name, version, … })')
  checkPluginParts(plugin, path, report)
}

export function checkParts(checks: Readonly<Record<string, PartCheck>>, required: readonly string[] = []): PartCheck {
  const names = Object.keys(checks)
  return (value, path, report) => {
    if (!isRecord(value)) return void report.add(path, `must be an object with: ${names.join(', ')}`)
    for (const name of required.filter((key) => value[key] === undefined)) {
      checks[name]?.(undefined, `${path}.${name}`, report)
    }
    for (const [name, member] of Object.entries(value)) {
      const check = Object.hasOwn(checks, name) ? checks[name] : undefined
      if (!check) report.add(`${path}.${name}`, unknownKey('an option', name, names))
      else if (member !== undefined) check(member, `${path}.${name}`, report)
    }
  }
}
