import type { Violation } from '../issues.ts'
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
  type JsonSchema,
  makeField,
  type ScalarOptions,
  scalarBehavior,
  VIOLATION,
} from './field.ts'
import {
  anyValueRule,
  COUNTED_RULES,
  collationRule,
  countRule,
  flagRule,
  patternRule,
  SCALAR_RULES,
} from './option-rules.ts'

/**
 * The maximum length of an indexed text, in characters, which fits in a PostgreSQL index row with four bytes each. A longer text needs
 * `index: false` or a `markdown` field.
 */
export const MAX_INDEXED_LENGTH = 512

export interface TextOptions extends ScalarOptions<string>, CountedOptions {
  /** The value of a new document without one, or a function that makes it. @see docs/guides/modelling-content.md#compute-a-default */
  readonly default?: string | DefaultRule<string>
  /** The minimum length, in characters. @default 0 */
  readonly minLength?: number
  /** The maximum length, in characters, at most 512 with an index. @default 512; 100,000 with `index: false` */
  readonly maxLength?: number
  /** The source of a regular expression (flag `u`) that the text must match. */
  readonly pattern?: string
  /**
   * The language whose alphabet orders the texts in `sort`: a language tag (BCP 47) such as `sv`, or `locale` for the requested locale. Case is
   * ignored, and so are accents that do not form a separate letter. @default none, ordered by code point
   * @see docs/guides/modelling-content.md#sort-as-a-language-does
   */
  readonly collation?: string
  /** True if `q` finds its words, with eight times the weight of a Markdown text. @default true */
  readonly search?: boolean
}

const longest = (options: TextOptions): number =>
  options.maxLength ?? (options.index === false ? 100_000 : MAX_INDEXED_LENGTH)

const text: FieldType<TextOptions> = {
  name: 'text',
  rules: {
    ...SCALAR_RULES,
    default: anyValueRule,
    minLength: countRule,
    maxLength: countRule,
    pattern: patternRule,
    collation: collationRule,
    search: flagRule,
    ...COUNTED_RULES,
  },
  check(options: TextOptions, place: FieldPlace, report: FaultReport) {
    checkCounted(options, place, report)
    if (options.collation !== undefined && options.index === false)
      report.add(
        `${place.path}.collation`,
        'is not allowed with index: false, because a field without an index is not sorted. Leave one of them out',
      )
    const indexed = options.index !== false || options.unique === true
    if (indexed && longest(options) > MAX_INDEXED_LENGTH) {
      report.add(
        `${place.path}.maxLength`,
        `must be at most ${MAX_INDEXED_LENGTH} for an indexed text. Write index: false, or use f.markdown()`,
      )
    }
    if ((options.minLength ?? 0) > longest(options)) {
      report.add(
        `${place.path}.minLength`,
        `must be at most ${longest(options)}, the length of the longest text that is allowed`,
      )
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
  ...scalarBehavior('text'),
  ...COUNTED_BEHAVIOR,
  fromQuery: (text) => text,
  isText: true,
  collation: (options) => options.collation,
  canBeTitle: true,
  search: (options) => (options.search === false ? undefined : { weight: 8, words: String }),
}

/** One line of text. */
export function textField<const O extends TextOptions = Record<never, never>>(
  options?: Exactly<O, TextOptions>,
): Field<string, NoInfer<O>> {
  return makeField(text, (options ?? {}) as O)
}

interface AddressOptions extends ScalarOptions<string> {
  /** The value of a new document without one, or a function that makes it. @see docs/guides/modelling-content.md#compute-a-default */
  readonly default?: string | DefaultRule<string>
}

const email: FieldType<AddressOptions> = {
  name: 'email',
  rules: { ...SCALAR_RULES, default: anyValueRule },
  schema: () => ({ type: 'string', format: 'email', maxLength: 320 }),
  accepts: (value) => typeof value === 'string' && /^[^\s@]+@[^\s@]+$/.test(value),
  ...scalarBehavior('text'),
  canonical: (value) => lowerCaseDomain(String(value)),
  fromQuery: lowerCaseDomain,
  isText: true,
  isUniqueInAnyCase: true,
}

/** Converts the domain of an address to lower case, because domains have no case (RFC 5321, section 2.4). */
function lowerCaseDomain(address: string): string {
  const at = address.lastIndexOf('@')
  return address.slice(0, at + 1) + address.slice(at + 1).toLowerCase()
}

/** An e-mail address (RFC 5321), stored with its domain in lower case. With `unique`, case is ignored. */
export function emailField<const O extends AddressOptions = Record<never, never>>(
  options?: Exactly<O, AddressOptions>,
): Field<string, NoInfer<O>> {
  return makeField(email, (options ?? {}) as O)
}

const NO_WEB_ADDRESS: Violation = ['url', 'must begin with http:// or https://, such as https://example.org/page']
const HTTP: JsonSchema = { pattern: '^https?://[^/?#]', [VIOLATION]: NO_WEB_ADDRESS }

const url: FieldType<AddressOptions> = {
  name: 'url',
  rules: { ...SCALAR_RULES, default: anyValueRule },
  // Other schemes (javascript:, data:) would run if a site prints the value as a link.
  schema: () => ({ type: 'string', format: 'uri', allOf: [HTTP], maxLength: 2000 }),
  accepts: (value) => typeof value === 'string' && /^https?:\/\/[^/?#\s]/.test(value),
  ...scalarBehavior('text'),
  fromQuery: (text) => text,
  isText: true,
}

/** An absolute `http` or `https` URL (RFC 3986) of at most 2,000 characters. */
export function urlField<const O extends AddressOptions = Record<never, never>>(
  options?: Exactly<O, AddressOptions>,
): Field<string, NoInfer<O>> {
  return makeField(url, (options ?? {}) as O)
}

/** Returns true if every database can store a text: PostgreSQL rejects NUL, and UTF-8 half of a surrogate pair. */
export const isStorableText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

export const UNSTORABLE_TEXT_MESSAGE = 'must not contain the NUL character or half of a surrogate pair'
