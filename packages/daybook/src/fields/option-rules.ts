import { Collation, LOCALE_COLLATION } from '../collation.ts'
import { isRecord, type OptionRule } from './field.ts'
import { interfaceTextRule } from './interface-text.ts'

/** The pattern of every key in a config. */
export const KEY_PATTERN: RegExp = /^[a-z][a-zA-Z0-9_]*$/
export const MAX_KEY_LENGTH = 48

/** Returns true if a text can be the key of a collection, global, field, plugin or action. */
export function isKey(text: unknown): text is string {
  return typeof text === 'string' && text.length <= MAX_KEY_LENGTH && KEY_PATTERN.test(text)
}

const createRule =
  (isValid: (value: unknown) => boolean, advice: string): OptionRule =>
  (value) =>
    isValid(value) ? undefined : advice

export const flagRule: OptionRule = createRule((value) => typeof value === 'boolean', 'must be true or false')
export const textRule: OptionRule = createRule(
  (value) => typeof value === 'string' && value !== '',
  'must be a non-empty string',
)
export const keyRule: OptionRule = createRule(
  isKey,
  `must be a key of at most ${MAX_KEY_LENGTH} characters, such as firstName`,
)
export const countRule: OptionRule = createRule(
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  'must be a whole number, 0 or more',
)
export const numberRule: OptionRule = createRule((value) => Number.isFinite(value), 'must be a number')
export const integerRule: OptionRule = createRule((value) => Number.isSafeInteger(value), 'must be a whole number')
export const functionRule: OptionRule = createRule((value) => typeof value === 'function', 'must be a function')
export const anyValueRule: OptionRule = () => undefined
export const patternRule: OptionRule = createRule(
  (value) => typeof value === 'string' && isRegExp(value),
  'must be the source of a regular expression as a string, such as "^[A-Z]{2}$"',
)
export const collationRule: OptionRule = createRule(
  (value) => value === LOCALE_COLLATION || (typeof value === 'string' && Collation.isSupported(value)),
  `must be "${LOCALE_COLLATION}", or the tag of a language, such as "sv"`,
)
export const objectRule: OptionRule = createRule(isRecord, 'must be an object')

const accessRule: OptionRule = (value) => {
  const isObject = typeof value === 'object' && value !== null
  const rules = isObject ? Object.entries(value) : []
  const invalid = rules.find(([key, rule]) => !['read', 'write'].includes(key) || typeof rule !== 'function')
  return isObject && !invalid
    ? undefined
    : 'must be { read: (caller) => boolean, write: (caller) => boolean }, either or both'
}

const placementRule: OptionRule = createRule(
  (value) =>
    isRecord(value) &&
    Object.entries(value).every(([key, position]) => key === 'position' && ['main', 'side'].includes(String(position))),
  "must be { position: 'side' } or { position: 'main' }",
)

/** The rule of the path of an item's title. Its field is checked with the fields of the item. */
export const titlePathRule: OptionRule = createRule(
  (value) => typeof value === 'string' && value.split('.').every(isKey),
  "must be the key of a field of the item, such as 'name', or a path inside it, such as 'person.name'",
)

const fillRule: OptionRule = createRule(
  (value) => value !== null && value !== '',
  'must be a value, or a function of the entry that returns it',
)

/** The rules of the common options. */
export const COMMON_RULES: Readonly<
  Record<
    | 'label'
    | 'admin'
    | 'showIf'
    | 'required'
    | 'description'
    | 'localized'
    | 'access'
    | 'validate'
    | 'renamedFrom'
    | 'fill',
    OptionRule
  >
> = {
  label: interfaceTextRule,
  admin: placementRule,
  // Checked with the fields beside it.
  showIf: () => undefined,
  required: flagRule,
  description: interfaceTextRule,
  localized: flagRule,
  access: accessRule,
  validate: functionRule,
  renamedFrom: keyRule,
  fill: fillRule,
}

/** The rules of the options of types with one comparable value. */
export const SCALAR_RULES: typeof COMMON_RULES & Readonly<Record<'unique' | 'index', OptionRule>> = {
  ...COMMON_RULES,
  unique: flagRule,
  index: flagRule,
}

export const COUNTED_RULES: Readonly<Record<'counted', OptionRule>> = { counted: flagRule }

function isRegExp(source: string): boolean {
  try {
    new RegExp(source, 'u')
    return true
  } catch {
    return false
  }
}
