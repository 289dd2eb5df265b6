import { Collation, LOCALE_COLLATION } from '../collation.ts'
import type { OptionRule } from './field.ts'

/** The pattern of every key in a config. */
export const KEY_PATTERN: RegExp = /^[a-z][a-zA-Z0-9_]*$/
/** The longest key, in characters. */
export const MAX_KEY_LENGTH = 48

/** Whether a text can be the key of a collection, global, field, plugin or action. */
export function isKey(text: unknown): text is string {
  return typeof text === 'string' && text.length <= MAX_KEY_LENGTH && KEY_PATTERN.test(text)
}

const optionRule =
  (holds: (value: unknown) => boolean, instead: string): OptionRule =>
  (value) =>
    holds(value) ? undefined : instead

export const flagRule: OptionRule = optionRule((value) => typeof value === 'boolean', 'write true or false')
export const textRule: OptionRule = optionRule((value) => typeof value === 'string' && value !== '', 'write a text')
export const keyRule: OptionRule = optionRule(
  isKey,
  `write a key of at most ${MAX_KEY_LENGTH} characters like firstName`,
)
export const countRule: OptionRule = optionRule(
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  'write a whole number, 0 or more',
)
export const numberRule: OptionRule = optionRule((value) => Number.isFinite(value), 'write a number')
export const integerRule: OptionRule = optionRule((value) => Number.isSafeInteger(value), 'write a whole number')
export const functionRule: OptionRule = optionRule((value) => typeof value === 'function', 'write a function')
export const anyValueRule: OptionRule = () => undefined
export const patternRule: OptionRule = optionRule(
  (value) => typeof value === 'string' && isRegExp(value),
  'write the source of a regular expression as a text, such as "^[A-Z]{2}$"',
)
export const collationRule: OptionRule = optionRule(
  (value) => value === LOCALE_COLLATION || (typeof value === 'string' && Collation.isSupported(value)),
  `write "${LOCALE_COLLATION}", or the tag of a language such as "sv"`,
)
export const objectRule: OptionRule = optionRule(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'write an object',
)

const anAccess: OptionRule = (value) => {
  const isRules = typeof value === 'object' && value !== null
  const rules = isRules ? Object.entries(value) : []
  const wrong = rules.find(([key, run]) => !['read', 'write'].includes(key) || typeof run !== 'function')
  return isRules && !wrong
    ? undefined
    : 'write { read: (caller) => boolean, write: (caller) => boolean }, either or both'
}

const aFill: OptionRule = optionRule(
  (value) => value !== null && value !== '',
  'write a value, or a function of the entry that answers it',
)

/** Rules of the options of every type. */
export const COMMON_RULES: Readonly<
  Record<'required' | 'description' | 'localized' | 'access' | 'validate' | 'renamedFrom' | 'fill', OptionRule>
> = {
  required: flagRule,
  description: textRule,
  localized: flagRule,
  access: anAccess,
  validate: functionRule,
  renamedFrom: keyRule,
  fill: aFill,
}

/** Rules of the options of every type with one comparable value. */
export const SCALAR_RULES: typeof COMMON_RULES & Readonly<Record<'unique' | 'index', OptionRule>> = {
  ...COMMON_RULES,
  unique: flagRule,
  index: flagRule,
}

/** The rule of the option of counted fields. */
export const COUNTED_RULES: Readonly<Record<'counted', OptionRule>> = { counted: flagRule }

function isRegExp(source: string): boolean {
  try {
    new RegExp(source, 'u')
    return true
  } catch {
    return false
  }
}
