import type { CommonOptions, Exactly, Field, FieldType, JsonSchema } from './field.ts'
import { makeField } from './field.ts'
import { aDefault, anObject, COMMON_RULES } from './rules.ts'

export interface JsonOptions extends CommonOptions {
  readonly default?: unknown
  /** The JSON Schema (2020-12) that the value must satisfy. @default any JSON value */
  readonly schema?: JsonSchema
}

/** The keyword under which a document's schema holds the schema of one of its values, to be checked on its own. */
export const OWN_SCHEMA: string = 'x-schema'

/** Any JSON value but `null`, which empties the field. */
export type JsonValue = string | number | boolean | readonly unknown[] | { readonly [key: string]: unknown }

const json: FieldType<JsonOptions> = {
  name: 'json',
  rules: { ...COMMON_RULES, default: aDefault, schema: anObject },
  schema: (options) => (options.schema === undefined ? {} : { [OWN_SCHEMA]: options.schema }),
  accepts: (value) => value !== null,
  hasFreeKeys: true,
}

/** Any JSON value, checked against a schema of its own. */
export function jsonField<Value = JsonValue, const O extends JsonOptions = Record<never, never>>(
  options?: Exactly<O, JsonOptions>,
): Field<Value, NoInfer<O>> {
  return makeField(json, (options ?? {}) as O)
}
