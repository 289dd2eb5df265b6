import type { CountedOptions, DefaultRule, Exactly, Field, FieldType, ScalarOptions } from './field.ts'
import { COUNTED_ANSWERS, checkCounted, makeField, scalarAnswers } from './field.ts'
import { aDefault, COMMON_RULES, COUNTED_RULES, SCALAR_RULES } from './rules.ts'

export interface BooleanOptions extends Omit<ScalarOptions<boolean>, 'unique'>, CountedOptions {
  /** What a new document gets that names no value; or a function that makes it. @see docs/modelling-content.md#defaults-that-a-function-makes */
  readonly default?: boolean | DefaultRule<boolean>
}

const boolean: FieldType<BooleanOptions> = {
  name: 'boolean',
  rules: { ...COMMON_RULES, index: SCALAR_RULES.index, default: aDefault, ...COUNTED_RULES },
  check: checkCounted,
  schema: () => ({ type: 'boolean' }),
  accepts: (value) => typeof value === 'boolean',
  ...scalarAnswers('boolean'),
  ...COUNTED_ANSWERS,
  fromQuery: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
}

/** True or false. */
export function booleanField<const O extends BooleanOptions = Record<never, never>>(
  options?: Exactly<O, BooleanOptions>,
): Field<boolean, NoInfer<O>> {
  return makeField(boolean, (options ?? {}) as O)
}
