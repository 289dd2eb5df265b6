import type { CommonOptions, DefaultRule, Exactly, Field, FieldType } from '../field.ts'
import { makeField } from '../field.ts'
import { aCount, aDefault, aFlag, COMMON_RULES } from '../rules.ts'

export interface MarkdownOptions extends CommonOptions<string> {
  /** What a new document gets that names no value; or a function that makes it. @see docs/modelling-content.md#defaults-that-a-function-makes */
  readonly default?: string | DefaultRule<string>
  /** The longest text allowed, in characters. @default 1,000,000 */
  readonly maxLength?: number
  /** Whether `<key>Html` with the sanitized HTML stands beside the text. @default true */
  readonly html?: boolean
  /** Whether `q` finds its words. @default true */
  readonly search?: boolean
}

const DEFAULT_MAX_LENGTH = 1_000_000

const longest = ({ maxLength = DEFAULT_MAX_LENGTH }: MarkdownOptions): number => maxLength

/** A text, and what is made of it. */
const EXAMPLE = { text: 'Some *words*.', html: '<p>Some <em>words</em>.</p>' } as const

const hasExample = (options: MarkdownOptions): boolean => longest(options) >= EXAMPLE.text.length

const markdown: FieldType<MarkdownOptions> = {
  name: 'markdown',
  rules: { ...COMMON_RULES, default: aDefault, maxLength: aCount, html: aFlag, search: aFlag },
  schema: (options) => ({
    type: 'string',
    maxLength: longest(options),
    ...(hasExample(options) ? { examples: [EXAMPLE.text] } : {}),
  }),
  accepts: (value) => typeof value === 'string',
  default: (options) => options.default,
  search: (options) => (options.search === false ? undefined : { weight: 1, words: String }),
  generated(key, options) {
    if (options.html === false) return undefined
    return {
      key: `${key}Html`,
      schema: {
        type: ['string', 'null'],
        readOnly: true,
        description: `Sanitized HTML of ${key}.`,
        ...(hasExample(options) ? { examples: [EXAMPLE.html] } : {}),
      },
      make: async (value, tools) => (typeof value === 'string' ? tools.renderMarkdown(value) : null),
    }
  },
}

type HtmlOf<O extends MarkdownOptions> = O extends { readonly html: false }
  ? Record<never, never>
  : { readonly Html: string }

/**
 * Long text in GitHub-flavoured Markdown. Its sanitized HTML is made when the text changes, and served as `<key>Html`. Neither filtered
 * nor sorted.
 *
 * @see docs/modelling-content.md#allow-html-in-markdown
 */
export function markdownField<const O extends MarkdownOptions = Record<never, never>>(
  options?: Exactly<O, MarkdownOptions>,
): Field<string, NoInfer<O> & { readonly '~unfiltered'?: true }, string, HtmlOf<O>> {
  return makeField(markdown, (options ?? {}) as O)
}
