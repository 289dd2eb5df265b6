import type { Violation } from '../issues.ts'
import type { AddressOptions } from './email.ts'
import type { Exactly, Field, FieldType, JsonSchema } from './field.ts'
import { makeField, scalarAnswers, VIOLATION } from './field.ts'
import { aDefault, SCALAR_RULES } from './rules.ts'

const NO_WEB_ADDRESS: Violation = ['url', 'must begin with http:// or https://, such as https://example.org/page']
const HTTP: JsonSchema = { pattern: '^https?://[^/?#]', [VIOLATION]: NO_WEB_ADDRESS }

const url: FieldType<AddressOptions> = {
  name: 'url',
  rules: { ...SCALAR_RULES, default: aDefault },
  // Other schemes (javascript:, data:) would run where a site prints the value as a link.
  schema: () => ({ type: 'string', format: 'uri', allOf: [HTTP], maxLength: 2000 }),
  accepts: (value) => typeof value === 'string' && /^https?:\/\/[^/?#\s]/.test(value),
  ...scalarAnswers('text'),
  fromQuery: (text) => text,
  isText: true,
}

/** An absolute `http` or `https` URL (RFC 3986) of at most 2,000 characters. */
export function urlField<const O extends AddressOptions = Record<never, never>>(
  options?: Exactly<O, AddressOptions>,
): Field<string, NoInfer<O>> {
  return makeField(url, (options ?? {}) as O)
}
