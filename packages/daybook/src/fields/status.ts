import { type CommonOptions, type DefaultRule, type Exactly, type Field, type FieldType, makeField } from './field.ts'
import { anyValueRule, COMMON_RULES } from './option-rules.ts'
import { type Choice, type ChoiceValue, choicesRule, getChoiceLabels, getChoiceValues } from './select.ts'

/** The status of public entries. */
export const PUBLISHED = 'published'

/** The keys that reads of drafts add, which no field of a collection with a status can have. */
export const DRAFT_KEYS = ['hasDraft', 'publishAt', 'unpublishAt', 'publishedLocales'] as const

export interface StatusOptions
  extends Pick<CommonOptions<string>, 'label' | 'description' | 'admin' | 'validate' | 'renamedFrom'> {
  /** The values, among them `published`: texts, or `{ value, label }`. @default `draft`, `published`, `archived` */
  readonly options?: readonly Choice[]
  /** The value of a new entry without one, or a function that makes it. @default 'published' @see docs/guides/modelling-content.md#compute-a-default */
  readonly default?: string | DefaultRule<string>
}

function getStatusValues(options: StatusOptions): readonly string[] {
  return options.options ? getChoiceValues(options.options) : ['draft', PUBLISHED, 'archived']
}

/** Returns a status of hidden entries, or `undefined` if there is none. */
const findHiddenStatus = (options: StatusOptions): string | undefined =>
  getStatusValues(options).find((value) => value !== PUBLISHED)

const status: FieldType<StatusOptions> = {
  name: 'status',
  role: 'status',
  rules: {
    label: COMMON_RULES.label,
    admin: COMMON_RULES.admin,
    description: COMMON_RULES.description,
    validate: COMMON_RULES.validate,
    renamedFrom: COMMON_RULES.renamedFrom,
    options: choicesRule,
    default: anyValueRule,
  },
  check(options, place, report) {
    if (place.isNested) report.add(place.path, 'must be among the top-level fields of a collection')
    if (!choicesRule(getStatusValues(options)) && !getStatusValues(options).includes(PUBLISHED)) {
      report.add(`${place.path}.options`, `must contain "${PUBLISHED}", the status that callers without a session see`)
    }
  },
  schema: (options) => ({ type: 'string', enum: getStatusValues(options) }),
  accepts: (value, options) => getStatusValues(options).includes(value as string),
  // Never null, because nobody could see an entry without a status. The default of a function is unknown here.
  empty: (options) =>
    (typeof options.default === 'function' ? findHiddenStatus(options) : options.default) ?? PUBLISHED,
  default: (options) => options.default ?? PUBLISHED,
  // Entries with a former status stay hidden.
  replacement: (options) => findHiddenStatus(options) ?? PUBLISHED,
  choices: getStatusValues,
  choiceLabels: (options) => getChoiceLabels(options.options ?? []),
  scalar: () => 'text',
  fromQuery: (text, options) => (getStatusValues(options).includes(text) ? text : undefined),
  filterSchema: (options) => ({ enum: getStatusValues(options) }),
}

type StatusValue<O extends StatusOptions> = O extends { readonly options: readonly (infer Option)[] }
  ? ChoiceValue<Option>
  : 'draft' | 'published' | 'archived'

/** The publication status of an entry. Without a session, only `published` entries exist. A collection has at most one, and a global none. */
export function statusField<const O extends StatusOptions = Record<never, never>>(
  options?: Exactly<O, StatusOptions>,
): Field<StatusValue<O>, NoInfer<O> & { readonly '~filled'?: true; readonly '~status'?: true }> {
  return makeField(status, (options ?? {}) as O)
}
