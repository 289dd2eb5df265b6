import {
  type AnyOptions,
  type CommonOptions,
  type DefaultRule,
  type Field,
  type FieldType,
  type JsonSchema,
  makeField,
} from './field.ts'
import { anyValueRule, COMMON_RULES, objectRule } from './option-rules.ts'

export interface JsonOptions<Value = unknown> extends CommonOptions<Value> {
  /** The value of a new document without one, or a function that makes it. @see docs/guides/modelling-content.md#compute-a-default */
  readonly default?: JsonValue | DefaultRule<JsonValue> | null
  /** The JSON Schema (2020-12) that the value must satisfy. @default any JSON value */
  readonly schema?: JsonSchema
}

/** The keyword in a document's schema for the schema of a JSON value, which is validated separately. */
export const CUSTOM_SCHEMA: string = 'x-schema'

/** Any JSON value except `null`, which empties the field. */
export type JsonValue = string | number | boolean | readonly unknown[] | { readonly [key: string]: unknown }

const json: FieldType<JsonOptions> = {
  name: 'json',
  rules: { ...COMMON_RULES, default: anyValueRule, schema: objectRule },
  schema: (options) => (options.schema === undefined ? {} : { [CUSTOM_SCHEMA]: options.schema }),
  accepts: (value) => value !== null,
  default: (options) => options.default,
  customSchema: (options) => options.schema,
  hasFreeKeys: true,
}

/** Marks a field without filters; never set. */
type JsonMark = {
  readonly '~unfiltered'?: true
}

type Needed<Value> = JsonOptions<Value> & { readonly required: true }

/**
 * Any JSON value, validated by an optional schema. It can be neither filtered, sorted nor searched.
 *
 * @example
 * ```ts
 * const place = f.json<{ lat: number; lon: number }>({ schema: { type: 'object', required: ['lat', 'lon'] } })
 * ```
 */
export function jsonField<Value = JsonValue>(
  options: Needed<Value> & { readonly default: JsonValue | DefaultRule<JsonValue> },
): Field<NoInfer<Value>, JsonMark & { readonly required: true; readonly default: unknown }>
export function jsonField<Value = JsonValue>(
  options: Needed<Value>,
): Field<NoInfer<Value>, JsonMark & { readonly required: true }>
export function jsonField<Value = JsonValue>(options?: JsonOptions<Value>): Field<NoInfer<Value>, JsonMark>
export function jsonField(options: JsonOptions = {}): Field {
  return makeField(json, options as AnyOptions)
}
