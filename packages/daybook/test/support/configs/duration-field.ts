import {
  type Exactly,
  type Field,
  type FieldType,
  makeField,
  type OptionRule,
  SCALAR_RULES,
  type ScalarOptions,
  scalarBehavior,
} from 'daybook'

// A field type as somebody outside Daybook writes it: one file, on public names alone.

export interface DurationOptions extends ScalarOptions {
  /** In seconds. */
  readonly default?: number
  /** The longest, in seconds. @default a day */
  readonly max?: number
}

const DAY = 86_400

const seconds: OptionRule = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? undefined : 'must be a number of seconds'

const longest = ({ max = DAY }: DurationOptions): number => max

const two = (count: number): string => String(Math.floor(count)).padStart(2, '0')

const duration: FieldType<DurationOptions> = {
  name: 'duration',
  rules: { ...SCALAR_RULES, default: seconds, max: seconds },
  schema: (options) => ({ type: 'integer', minimum: 0, maximum: longest(options) }),
  accepts: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  ...scalarBehavior('number'),
  fromQuery: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
  generated: (key) => [
    {
      key: `${key}Clock`,
      schema: { type: ['string', 'null'], readOnly: true },
      make: async (value) =>
        typeof value === 'number' ? `${two(value / 3600)}:${two((value % 3600) / 60)}:${two(value % 60)}` : null,
    },
  ],
}

/** A duration in seconds; `<key>Clock` formats it as `01:02:03`. */
export function durationField<const O extends DurationOptions = Record<never, never>>(
  options?: Exactly<O, DurationOptions>,
): Field<number, NoInfer<O>, number, { readonly Clock: string }> {
  return makeField(duration, (options ?? {}) as O)
}
