import {
  COUNTED_BEHAVIOR,
  type CountedOptions,
  checkCounted,
  type DefaultRule,
  type Exactly,
  type Field,
  type FieldType,
  type JsonSchema,
  makeField,
  type OptionRule,
  type ScalarOptions,
  scalarBehavior,
} from './field.ts'
import { anyValueRule, COUNTED_RULES, integerRule, numberRule, SCALAR_RULES } from './option-rules.ts'

export interface NumberOptions extends ScalarOptions<number>, CountedOptions {
  /** The value of a new document without one, or a function that makes it. @see docs/guides/modelling-content.md#compute-a-default */
  readonly default?: number | DefaultRule<number>
  /** The minimum value. */
  readonly min?: number
  /** The maximum value. */
  readonly max?: number
}

const DECIMAL = /^-?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,3})?$/

function toNumber(text: string, isWhole: boolean): number | undefined {
  const value = DECIMAL.test(text) ? Number(text) : Number.NaN
  return (isWhole ? Number.isSafeInteger(value) : Number.isFinite(value)) ? value : undefined
}

function numberType(name: string, schema: JsonSchema, bound: OptionRule): FieldType<NumberOptions> {
  return {
    name,
    rules: { ...SCALAR_RULES, default: anyValueRule, min: bound, max: bound, ...COUNTED_RULES },
    check(options, place, report) {
      checkCounted(options, place, report)
      if (options.min !== undefined && options.max !== undefined && options.min > options.max) {
        report.add(`${place.path}.min`, `must be at most ${options.max}, the value of max`)
      }
    },
    schema: (options) => ({
      ...schema,
      ...(options.min === undefined ? {} : { minimum: options.min }),
      ...(options.max === undefined ? {} : { maximum: options.max }),
    }),
    accepts: (value) => typeof value === 'number' && (name === 'number' || Number.isSafeInteger(value)),
    // JSON has no negative zero.
    canonical: (value) => (value === 0 ? 0 : value),
    ...scalarBehavior('number'),
    ...COUNTED_BEHAVIOR,
    fromQuery: (text) => toNumber(text, name === 'integer'),
    filterSchema: () => schema,
  }
}

const number = numberType('number', { type: 'number' }, numberRule)

const integer = numberType(
  'integer',
  { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  integerRule,
)

/** A number (IEEE 754 double). */
export function numberField<const O extends NumberOptions = Record<never, never>>(
  options?: Exactly<O, NumberOptions>,
): Field<number, NoInfer<O>> {
  return makeField(number, (options ?? {}) as O)
}

/** An integer that a double represents exactly, from -(2⁵³-1) to 2⁵³-1. */
export function integerField<const O extends NumberOptions = Record<never, never>>(
  options?: Exactly<O, NumberOptions>,
): Field<number, NoInfer<O>> {
  return makeField(integer, (options ?? {}) as O)
}
