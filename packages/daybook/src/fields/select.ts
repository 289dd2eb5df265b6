import type { CountedOptions, DefaultRule, Exactly, Field, FieldType, OptionRule, ScalarOptions } from './field.ts'
import { COUNTED_ANSWERS, checkCounted, makeField } from './field.ts'
import { aDefault, aFlag, COUNTED_RULES, SCALAR_RULES } from './rules.ts'

export interface SelectOptions<Value = unknown> extends ScalarOptions<Value>, CountedOptions {
  /** The values to choose from: different texts of 1 to 128 characters. */
  readonly options: readonly string[]
  /** Holds a list of different values; it is then neither unique nor sorted. @default false */
  readonly many?: boolean
  /** What a new document gets that names no value; or a function that makes it. @see docs/modelling-content.md#defaults-that-a-function-makes */
  readonly default?: string | readonly string[] | DefaultRule<string | readonly string[]>
}

const MAX_VALUE_LENGTH = 128

/** Rule for a list of different values. */
export const aChoice: OptionRule = (value) => {
  const values = Array.isArray(value) ? value : []
  const usable = values.every((one) => typeof one === 'string' && one !== '' && one.length <= MAX_VALUE_LENGTH)
  const different = new Set(values).size === values.length
  return values.length > 0 && usable && different
    ? undefined
    : `write a list of different texts of 1 to ${MAX_VALUE_LENGTH} characters`
}

const select: FieldType<SelectOptions> = {
  name: 'select',
  rules: { ...SCALAR_RULES, options: aChoice, many: aFlag, default: aDefault, ...COUNTED_RULES },
  check(options, place, report) {
    checkCounted(options, place, report)
    if (options.options === undefined) {
      report.add(`${place.path}.options`, 'write the values to choose from, such as options: ["news", "howto"]')
    }
    if (options.many && options.unique) report.add(`${place.path}.unique`, 'leave it out where many is true')
  },
  schema(options) {
    const one = { type: 'string', enum: options.options }
    return options.many ? { type: 'array', items: one, uniqueItems: true } : one
  },
  accepts: (value, options) =>
    options.many
      ? Array.isArray(value) && value.every((one) => options.options.includes(one))
      : options.options.includes(value as string),
  empty: (options) => (options.many ? [] : null),
  default: (options) => options.default,
  choices: (options) => options.options,
  isUnique: (options) => options.unique === true,
  ...COUNTED_ANSWERS,
  isMany: (options) => options.many === true && options.index !== false,
  scalar: (options) => (options.many || options.index === false ? undefined : 'text'),
  fromQuery: (text, options) => (options.options.includes(text) ? text : undefined),
  filterSchema: (options) => ({ enum: options.options }),
}

type Chosen<O extends Pick<SelectOptions, 'options'>> = O extends { readonly many: true }
  ? readonly O['options'][number][]
  : O['options'][number]

/** One of the given values, or several with `many: true`. */
export function selectField<const O extends Omit<SelectOptions, 'validate'>, const Many extends boolean = false>(
  options: Exactly<O, SelectOptions<Many extends true ? readonly string[] : string>> & { readonly many?: Many },
): Field<Chosen<O>, NoInfer<O>> {
  return makeField(select, options as O)
}
