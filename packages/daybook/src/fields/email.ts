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
  canonical: (value) => withPlainDomain(String(value)),
  fromQuery: withPlainDomain,
  isText: true,
  isUniqueInAnyCase: true,
}

/** An address with its domain in lower case: domains have no case (RFC 5321, section 2.4). */
function withPlainDomain(address: string): string {
  const at = address.lastIndexOf('@')
  return address.slice(0, at + 1) + address.slice(at + 1).toLowerCase()
}

/** An e-mail address (RFC 5321), kept as given, with its domain in lower case. A unique one is unique whatever its case. */
export function emailField<const O extends AddressOptions = Record<never, never>>(
  options?: Exactly<O, AddressOptions>,
): Field<string, NoInfer<O>> {
  return makeField(email, (options ?? {}) as O)
}
