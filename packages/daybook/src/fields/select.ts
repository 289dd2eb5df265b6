import {
  COUNTED_BEHAVIOR,
  type CountedOptions,
  checkCounted,
  type DefaultRule,
  type Exactly,
  type FaultReport,
  type Field,
  type FieldPlace,
  type FieldType,
  type Fill,
  isRecord,
  makeField,
  type OptionRule,
  type ScalarOptions,
} from './field.ts'
import { type InterfaceText, interfaceTextRule } from './interface-text.ts'
import { anyValueRule, COUNTED_RULES, flagRule, SCALAR_RULES } from './option-rules.ts'

/** An option to choose from: its value, or the value with a label for people. */
export type Choice = string | { readonly value: string; readonly label?: InterfaceText }

/** The type of the value of a {@link Choice}. */
export type ChoiceValue<Option> = Option extends { readonly value: infer Value } ? Value : Option

export interface SelectOptions<Value = unknown> extends ScalarOptions<Value>, CountedOptions {
  /**
   * The options to choose from: different texts of 1 to 128 characters, or `{ value, label }` with such a value and its name for people, as in
   * `['essay', { value: 'report', label: { en: 'Report', de: 'Bericht' } }]`.
   */
  readonly options: readonly Choice[]
  /** True for a list of different values, which can be neither unique nor sorted. @default false */
  readonly many?: boolean
  /** The value of a new document without one, or a function that makes it. @see docs/guides/modelling-content.md#compute-a-default */
  readonly default?: string | readonly string[] | DefaultRule<string | readonly string[]>
  /**
   * As for every field, or an object with a present option for each former one, such as `{ blue: 'azure' }`, which changes only stored values
   * that are no longer options. @see docs/guides/changing-your-config.md#take-an-option-away
   */
  readonly fill?: Fill
}

const MAX_VALUE_LENGTH = 128

/** Returns the values of options. Checks of the config call this with any value. */
export const getChoiceValues = (options: readonly Choice[]): readonly string[] =>
  Array.isArray(options) ? options.map((option: Choice) => (isRecord(option) ? option.value : option)) : []

/** Returns the labels of the options that have one, by value. */
export const getChoiceLabels = (options: readonly Choice[]): Readonly<Record<string, InterfaceText>> =>
  Object.fromEntries(
    options.flatMap((option) =>
      typeof option === 'string' || option.label === undefined ? [] : [[option.value, option.label]],
    ),
  )

/** The rule of a list of different values. */
export const choicesRule: OptionRule = (value) => {
  const choices = Array.isArray(value) ? value.filter(isRecord) : []
  const unknownMember = choices
    .flatMap((choice) => Object.keys(choice))
    .find((key) => !['value', 'label'].includes(key))
  if (unknownMember !== undefined) return `must have options of { value, label } only, without "${unknownMember}"`
  const labelFault = choices.map(({ label }) => label !== undefined && interfaceTextRule(label)).find(Boolean)
  if (labelFault) return `has an option whose label ${labelFault}`
  const values = getChoiceValues(value as readonly Choice[])
  const areTexts = values.every((item) => typeof item === 'string' && item !== '' && item.length <= MAX_VALUE_LENGTH)
  const areDifferent = new Set(values).size === values.length
  return values.length > 0 && areTexts && areDifferent
    ? undefined
    : `must be a list of different texts of 1 to ${MAX_VALUE_LENGTH} characters`
}

const select: FieldType<SelectOptions> = {
  name: 'select',
  rules: { ...SCALAR_RULES, options: choicesRule, many: flagRule, default: anyValueRule, ...COUNTED_RULES },
  check(options, place, report) {
    checkCounted(options, place, report)
    if (options.options === undefined) {
      report.add(
        `${place.path}.options`,
        'is required. Write the values to choose from, such as options: ["news", "howto"]',
      )
    }
    checkFormerOptions(options, place, report)
    if (options.many && options.unique)
      report.add(`${place.path}.unique`, 'is not allowed with many: true. Leave one of them out')
  },
  schema(options) {
    const schema = { type: 'string', enum: getChoiceValues(options.options) }
    return options.many ? { type: 'array', items: schema, uniqueItems: true } : schema
  },
  accepts(value, { options, many }) {
    const values: readonly unknown[] = getChoiceValues(options)
    return many ? Array.isArray(value) && value.every((item) => values.includes(item)) : values.includes(value)
  },
  empty: (options) => (options.many ? [] : null),
  default: (options) => options.default,
  choices: ({ options }) => getChoiceValues(options),
  choiceLabels: ({ options }) => getChoiceLabels(options),
  isUnique: (options) => options.unique === true,
  ...COUNTED_BEHAVIOR,
  isMany: (options) => options.many === true && options.index !== false,
  scalar: (options) => (options.many || options.index === false ? undefined : 'text'),
  fromQuery: (text, { options }) => (getChoiceValues(options).includes(text) ? text : undefined),
  filterSchema: ({ options }) => ({ enum: getChoiceValues(options) }),
  converter({ fill, options, many }) {
    if (!isRecord(fill)) return undefined
    const values = getChoiceValues(options)
    const convert = (stored: unknown): unknown =>
      values.includes(stored as string)
        ? stored
        : Object.hasOwn(fill, String(stored))
          ? fill[String(stored)]
          : undefined
    if (!many) return convert
    return (stored) => {
      const values = Array.isArray(stored) ? stored.map(convert) : [undefined]
      return values.includes(undefined) ? undefined : [...new Set(values)]
    }
  },
}

/** Checks a `fill` that replaces former options. */
function checkFormerOptions({ fill, options }: SelectOptions, { path }: FieldPlace, report: FaultReport): void {
  if (!isRecord(fill) || !Array.isArray(options)) return
  const values = getChoiceValues(options)
  for (const [former, present] of Object.entries(fill)) {
    if (values.includes(former))
      report.add(`${path}.fill.${former}`, 'is not needed, because it is still an option. Leave it out')
    if (!values.includes(present as string))
      report.add(`${path}.fill.${former}`, `must be one of the options: ${values.join(', ')}`)
  }
}

type Chosen<O extends Pick<SelectOptions, 'options'>> = O extends { readonly many: true }
  ? readonly ChoiceValue<O['options'][number]>[]
  : ChoiceValue<O['options'][number]>

/** One of the options, or several with `many: true`. */
export function selectField<const O extends Omit<SelectOptions, 'validate'>, const Many extends boolean = false>(
  options: Exactly<O, SelectOptions<Many extends true ? readonly string[] : string>> & { readonly many?: Many },
): Field<Chosen<O>, NoInfer<O>> {
  return makeField(select, options as O)
}
