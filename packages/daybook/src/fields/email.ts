import type { DefaultRule, Exactly, Field, FieldType, ScalarOptions } from './field.ts'
import { makeField, scalarAnswers } from './field.ts'
import { aDefault, SCALAR_RULES } from './rules.ts'

export interface AddressOptions extends ScalarOptions<string> {
  /** What a new document gets that names no value; or a function that makes it. @see docs/modelling-content.md#defaults-that-a-function-makes */
  readonly default?: string | DefaultRule<string>
}

const email: FieldType<AddressOptions> = {
  name: 'email',
  rules: { ...SCALAR_RULES, default: aDefault },
  schema: () => ({ type: 'string', format: 'email', maxLength: 320 }),
  accepts: (value) => typeof value === 'string' && /^[^\s@]+@[^\s@]+$/.test(value),
  ...scalarAnswers('text'),
  fromQuery: (text) => text,
  isText: true,
}

/** An e-mail address (RFC 5321), kept as given. */
export function emailField<const O extends AddressOptions = Record<never, never>>(
  options?: Exactly<O, AddressOptions>,
): Field<string, NoInfer<O>> {
  return makeField(email, (options ?? {}) as O)
}
