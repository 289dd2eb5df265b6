import type { Exactly, Field, FieldType, ScalarOptions } from './field.ts'
import { makeField } from './field.ts'
import { aDefault, SCALAR_RULES } from './rules.ts'

export interface DateOptions extends ScalarOptions {
  readonly default?: string
}

const date: FieldType<DateOptions> = {
  name: 'date',
  rules: { ...SCALAR_RULES, default: aDefault },
  schema: () => ({ type: 'string', format: 'date', maxLength: 10 }),
  accepts: (value) => typeof value === 'string',
  scalar: (options) => (options.index === false ? undefined : 'text'),
}

const datetime: FieldType<DateOptions> = {
  name: 'datetime',
  rules: { ...SCALAR_RULES, default: aDefault },
  schema: () => ({ type: 'string', format: 'date-time', maxLength: 40 }),
  accepts: (value) => typeof value === 'string',
  canonical: (value) => new Date(String(value)).toISOString(),
  scalar: (options) => (options.index === false ? undefined : 'text'),
}

/** A day of the calendar, `2026-11-20` (RFC 3339 `full-date`). */
export function dateField<const O extends DateOptions = Record<never, never>>(
  options?: Exactly<O, DateOptions>,
): Field<string, O> {
  return makeField(date, (options ?? {}) as O)
}

/** A moment, given with its offset (RFC 3339 `date-time`) and served in UTC with milliseconds. */
export function datetimeField<const O extends DateOptions = Record<never, never>>(
  options?: Exactly<O, DateOptions>,
): Field<string, O> {
  return makeField(datetime, (options ?? {}) as O)
}
