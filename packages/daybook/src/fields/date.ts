import type { DefaultRule, Exactly, Field, FieldType, JsonSchema, ScalarOptions } from './field.ts'
import { makeField, scalarBehavior } from './field.ts'
import { anyValueRule, SCALAR_RULES } from './option-rules.ts'

export interface DateOptions extends ScalarOptions<string> {
  /** What a new document gets that names no value; or a function that makes it. @see docs/modelling-content.md#defaults-that-a-function-makes */
  readonly default?: string | DefaultRule<string>
}

const DAY: JsonSchema = { type: 'string', format: 'date' }

/** What a filter compares a moment with: a moment, or a day, which names its start. */
export const TIMESTAMP_FILTER: JsonSchema = { type: 'string', anyOf: [{ format: 'date-time' }, { format: 'date' }] }

const MOMENT = /^(\d{4}-\d\d-\d\d)[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/

const FIRST_MOMENT = Date.parse('0000-01-01T00:00:00.000Z')
const LAST_MOMENT = Date.parse('9999-12-31T23:59:59.999Z')

/** Whether a text is a day that the calendar has. */
function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** The moment that a text names, in UTC with milliseconds; a day alone names its start. */
export const parseTimestamp = (text: string): string | undefined =>
  isDay(text) ? `${text}T00:00:00.000Z` : parseDateTime(text)

/** The same of a text that names day, time and offset. */
export function parseDateTime(text: string): string | undefined {
  // In a query string, a plus sign that was not escaped arrives as a space.
  const written = text.replace(/ (\d\d:\d\d)$/, '+$1')
  const day = MOMENT.exec(written)?.[1]
  const time = day !== undefined && isDay(day) ? Date.parse(written) : Number.NaN
  return isFourDigitYear(time) ? new Date(time).toISOString() : undefined
}

/** Whether a moment, in UTC, can be written as ISO 8601 does with four digits for the year. */
export function isFourDigitYear(time: number): boolean {
  return time >= FIRST_MOMENT && time <= LAST_MOMENT
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

/** A day of the calendar, `2026-11-20` (RFC 3339 `full-date`). */
export function dateField<const O extends DateOptions = Record<never, never>>(
  options?: Exactly<O, DateOptions>,
): Field<string, NoInfer<O> & { readonly '~whole'?: true }> {
  return makeField(date, (options ?? {}) as O)
}

/** A moment, given with its offset (RFC 3339 `date-time`) and served in UTC with milliseconds. */
export function datetimeField<const O extends DateOptions = Record<never, never>>(
  options?: Exactly<O, DateOptions>,
): Field<string, NoInfer<O> & { readonly '~whole'?: true }> {
  return makeField(datetime, (options ?? {}) as O)
}
