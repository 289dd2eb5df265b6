import {
  type DefaultRule,
  type Exactly,
  type Field,
  type FieldType,
  type JsonSchema,
  makeField,
  type ScalarOptions,
  scalarBehavior,
} from './field.ts'
import { anyValueRule, SCALAR_RULES } from './option-rules.ts'

export interface DateOptions extends ScalarOptions<string> {
  /** The value of a new document without one, or a function that makes it. @see docs/guides/modelling-content.md#compute-a-default */
  readonly default?: string | DefaultRule<string>
}

const DAY: JsonSchema = { type: 'string', format: 'date' }

/** The JSON Schema of the operand of a filter on times: a time, or a day, which means its start. */
export const TIMESTAMP_FILTER: JsonSchema = { type: 'string', anyOf: [{ format: 'date-time' }, { format: 'date' }] }

const DATE_TIME = /^(\d{4}-\d\d-\d\d)[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/

const FIRST_TIME = Date.parse('0000-01-01T00:00:00.000Z')
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z')

function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** Parses a time, or a day, which means its start. Returns ISO 8601 in UTC with milliseconds. */
export const parseTimestamp = (text: string): string | undefined =>
  isDay(text) ? `${text}T00:00:00.000Z` : parseDateTime(text)

/** Parses a time with date and offset. Returns ISO 8601 in UTC with milliseconds. */
export function parseDateTime(text: string): string | undefined {
  // An unescaped plus sign in a query string arrives as a space.
  const dateTime = text.replace(/ (\d\d:\d\d)$/, '+$1')
  const day = DATE_TIME.exec(dateTime)?.[1]
  const time = day !== undefined && isDay(day) ? Date.parse(dateTime) : Number.NaN
  return isFourDigitYear(time) ? new Date(time).toISOString() : undefined
}

/** Returns true if ISO 8601 can write a time in UTC with four digits for the year. */
export function isFourDigitYear(time: number): boolean {
  return time >= FIRST_TIME && time <= LAST_TIME
}

const date: FieldType<DateOptions> = {
  name: 'date',
  rules: { ...SCALAR_RULES, default: anyValueRule },
  schema: () => ({ type: 'string', format: 'date', maxLength: 10 }),
  accepts: (value) => typeof value === 'string' && isDay(value),
  ...scalarBehavior('text'),
  isDate: true,
  fromQuery: (text) => (isDay(text) ? text : undefined),
  filterSchema: () => DAY,
}

const datetime: FieldType<DateOptions> = {
  name: 'datetime',
  rules: { ...SCALAR_RULES, default: anyValueRule },
  schema: () => ({ type: 'string', format: 'date-time', maxLength: 40 }),
  accepts: (value) => typeof value === 'string' && parseTimestamp(value) === value,
  canonical: (value) => new Date(String(value)).toISOString(),
  ...scalarBehavior('text'),
  isDate: true,
  fromQuery: parseTimestamp,
  filterSchema: () => TIMESTAMP_FILTER,
}

/** A date, such as `2026-11-20` (RFC 3339 `full-date`). */
export function dateField<const O extends DateOptions = Record<never, never>>(
  options?: Exactly<O, DateOptions>,
): Field<string, NoInfer<O> & { readonly '~whole'?: true }> {
  return makeField(date, (options ?? {}) as O)
}

/** A time, written with its offset (RFC 3339 `date-time`) and served in UTC with milliseconds. */
export function datetimeField<const O extends DateOptions = Record<never, never>>(
  options?: Exactly<O, DateOptions>,
): Field<string, NoInfer<O> & { readonly '~whole'?: true }> {
  return makeField(datetime, (options ?? {}) as O)
}
