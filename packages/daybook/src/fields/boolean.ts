import {
  COUNTED_BEHAVIOR,
  type CountedOptions,
  checkCounted,
  type DefaultRule,
  type Exactly,
  type Field,
  type FieldType,
  makeField,
  type ScalarOptions,
  scalarBehavior,
} from './field.ts'
import { anyValueRule, COMMON_RULES, COUNTED_RULES, SCALAR_RULES } from './option-rules.ts'

export interface BooleanOptions extends Omit<ScalarOptions<boolean>, 'unique'>, CountedOptions {
  /** The value of a new document without one, or a function that makes it. @see docs/guides/modelling-content.md#compute-a-default */
  readonly default?: boolean | DefaultRule<boolean>
}

const boolean: FieldType<BooleanOptions> = {
  name: 'boolean',
  rules: { ...COMMON_RULES, index: SCALAR_RULES.index, default: anyValueRule, ...COUNTED_RULES },
  check: checkCounted,
  schema: () => ({ type: 'boolean' }),
  accepts: (value) => typeof value === 'boolean',
  ...scalarBehavior('boolean'),
  ...COUNTED_BEHAVIOR,
  fromQuery: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
}

/** True or false. */
export function booleanField<const O extends BooleanOptions = Record<never, never>>(
  options?: Exactly<O, BooleanOptions>,
): Field<boolean, NoInfer<O>> {
  return makeField(boolean, (options ?? {}) as O)
}
