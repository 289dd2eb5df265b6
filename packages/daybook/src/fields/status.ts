import type { CommonOptions, DefaultRule, Exactly, Field, FieldType } from './field.ts'
import { makeField } from './field.ts'
import { anyValueRule, COMMON_RULES } from './option-rules.ts'
import { choicesRule } from './select.ts'

/** The status that everyone may see. */
export const PUBLISHED = 'published'

/** What reads of working copies say of an entry besides: keys that no field of such a collection can have. */
export const DRAFT_KEYS = ['hasDraft', 'publishAt', 'unpublishAt', 'publishedLocales'] as const

export interface StatusOptions extends Pick<CommonOptions<string>, 'description' | 'validate' | 'renamedFrom'> {
  /** The values; `published` must be among them. @default `draft`, `published`, `archived` */
  readonly options?: readonly string[]
  /** What a new entry gets that names no value; or a function that makes it. @default 'published' @see docs/modelling-content.md#defaults-that-a-function-makes */
  readonly default?: string | DefaultRule<string>
}

/** The values that a status field takes. */
function statusValues(options: StatusOptions): readonly string[] {
  return options.options ?? ['draft', PUBLISHED, 'archived']
}

/** A status that readers without a session do not see; `undefined`: there is none. */
const hiddenStatus = (options: StatusOptions): string | undefined =>
  statusValues(options).find((value) => value !== PUBLISHED)

const status: FieldType<StatusOptions> = {
  name: 'status',
  role: 'status',
  rules: {
    description: COMMON_RULES.description,
    validate: COMMON_RULES.validate,
    renamedFrom: COMMON_RULES.renamedFrom,
    options: choicesRule,
    default: anyValueRule,
  },
  check(options, place, report) {
    if (place.isNested) report.add(place.path, 'put the status among the top-level fields of a collection')
    if (Array.isArray(statusValues(options)) && !statusValues(options).includes(PUBLISHED)) {
      report.add(`${place.path}.options`, `let "${PUBLISHED}" be one of them: it is what readers without a session see`)
    }
  },
  schema: (options) => ({ type: 'string', enum: statusValues(options) }),
  accepts: (value, options) => statusValues(options).includes(value as string),
  // It cannot be emptied: no reader could see an entry without a status. What a function would say is not known here.
  empty: (options) => (typeof options.default === 'function' ? hiddenStatus(options) : options.default) ?? PUBLISHED,
  default: (options) => options.default ?? PUBLISHED,
  // What is no longer a status may have been hidden for a reason.
  replacement: (options) => hiddenStatus(options) ?? PUBLISHED,
  choices: statusValues,
  scalar: () => 'text',
  fromQuery: (text, options) => (statusValues(options).includes(text) ? text : undefined),
  filterSchema: (options) => ({ enum: statusValues(options) }),
}

type StatusValue<O extends StatusOptions> = O extends { readonly options: readonly (infer Value)[] }
  ? Value
  : 'draft' | 'published' | 'archived'

/** Whether an entry is public: without a session only `published` entries exist. At most one in a collection, and none in a global. */
export function statusField<const O extends StatusOptions = Record<never, never>>(
  options?: Exactly<O, StatusOptions>,
): Field<StatusValue<O>, NoInfer<O> & { readonly '~filled'?: true; readonly '~status'?: true }> {
  return makeField(status, (options ?? {}) as O)
}
