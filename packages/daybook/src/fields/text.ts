import type {
  CountedOptions,
  DefaultRule,
  Exactly,
  FaultReport,
  Field,
  FieldPlace,
  FieldType,
  JsonSchema,
  ScalarOptions,
} from './field.ts'
import { COUNTED_ANSWERS, checkCounted, makeField, scalarAnswers } from './field.ts'
import { aCollation, aCount, aDefault, aFlag, aPattern, COUNTED_RULES, SCALAR_RULES } from './rules.ts'

/**
 * The longest text that is indexed, in characters: four bytes each still fit a PostgreSQL index row.
 * A longer one says `index: false` or is a `markdown` field.
 */
export const MAX_INDEXED_LENGTH = 512

export interface TextOptions extends ScalarOptions<string>, CountedOptions {
  /** What a new document gets that names no value; or a function that makes it. @see docs/modelling-content.md#defaults-that-a-function-makes */
  readonly default?: string | DefaultRule<string>
  /** The shortest text allowed, in characters. @default 0 */
  readonly minLength?: number
  /** The longest text allowed, in characters; an indexed text holds at most 512. @default 512; 100,000 with `index: false` */
  readonly maxLength?: number
  /** The source of a regular expression (flag `u`) that the text must match. */
  readonly pattern?: string
  /**
   * The language whose alphabet orders the texts in `sort`: a language tag (BCP 47) such as `sv`, or `locale` for the locale that is read.
   * Case, and accents that make no letter of their own, do not count. @default none: texts are ordered by code point
   * @see docs/modelling-content.md#sort-as-a-language-does
   */
  readonly collation?: string
  /** Whether `q` finds its words; they count eight times as much as those of a Markdown text. @default true */
  readonly search?: boolean
}

const longest = (options: TextOptions): number =>
  options.maxLength ?? (options.index === false ? 100_000 : MAX_INDEXED_LENGTH)

const text: FieldType<TextOptions> = {
  name: 'text',
  rules: {
    ...SCALAR_RULES,
    default: aDefault,
    minLength: aCount,
    maxLength: aCount,
    pattern: aPattern,
    collation: aCollation,
    search: aFlag,
    ...COUNTED_RULES,
  },
  check(options: TextOptions, place: FieldPlace, report: FaultReport) {
    checkCounted(options, place, report)
    if (options.collation !== undefined && options.index === false)
      report.add(
        `${place.path}.collation`,
        'leave it out, or leave index: false out: a field without an index is not sorted',
      )
    const indexed = options.index !== false || options.unique === true
    if (indexed && longest(options) > MAX_INDEXED_LENGTH) {
      report.add(
        `${place.path}.maxLength`,
        `an indexed text holds at most ${MAX_INDEXED_LENGTH} characters; write index: false, or use f.markdown()`,
      )
    }
    if ((options.minLength ?? 0) > longest(options)) {
      report.add(`${place.path}.minLength`, `write at most ${longest(options)}, the longest text allowed`)
    }
  },
  schema(options: TextOptions): JsonSchema {
    return {
      type: 'string',
      ...(options.minLength === undefined ? {} : { minLength: options.minLength }),
      maxLength: longest(options),
      ...(options.pattern === undefined ? {} : { pattern: options.pattern }),
    }
  },
  accepts: (value) => typeof value === 'string',
  ...scalarAnswers('text'),
  ...COUNTED_ANSWERS,
  fromQuery: (text) => text,
  isText: true,
  collation: (options) => options.collation,
  isName: true,
  search: (options) => (options.search === false ? undefined : { weight: 8, words: String }),
}

/** One line of text. */
export function textField<const O extends TextOptions = Record<never, never>>(
  options?: Exactly<O, TextOptions>,
): Field<string, NoInfer<O>> {
  return makeField(text, (options ?? {}) as O)
}
