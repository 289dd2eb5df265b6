import {
  type CommonOptions,
  type DefaultRule,
  type DerivedValue,
  type Exactly,
  type ExtractedValue,
  type Field,
  type FieldType,
  type JsonSchema,
  makeField,
} from './field.ts'
import { MAX_TOC_HEADINGS, type TocEntry, tableOfContents } from './markdown-headings.ts'
import { anyValueRule, COMMON_RULES, countRule, flagRule } from './option-rules.ts'

export interface MarkdownOptions extends CommonOptions<string> {
  /** The value of a new document without one, or a function that makes it. @see docs/guides/modelling-content.md#compute-a-default */
  readonly default?: string | DefaultRule<string>
  /** The maximum length, in characters. @default 1,000,000 */
  readonly maxLength?: number
  /** True if `<key>Html` with the sanitized HTML is served. @default true */
  readonly html?: boolean
  /**
   * True if `<key>Toc` is served with the first 1,000 headings, each as `{ id, text, level }`, with their ids in the HTML. @default false
   * @see docs/guides/modelling-content.md#link-to-headings
   */
  readonly toc?: boolean
  /** True if `q` finds its words. @default true */
  readonly search?: boolean
}

const DEFAULT_MAX_LENGTH = 1_000_000

const longest = ({ maxLength = DEFAULT_MAX_LENGTH }: MarkdownOptions): number => maxLength

/** A text and its HTML. */
const EXAMPLE = { text: 'Some *words*.', html: '<p>Some <em>words</em>.</p>' } as const

const hasExample = (options: MarkdownOptions): boolean => longest(options) >= EXAMPLE.text.length

const markdown: FieldType<MarkdownOptions> = {
  name: 'markdown',
  rules: {
    ...COMMON_RULES,
    default: anyValueRule,
    maxLength: countRule,
    html: flagRule,
    toc: flagRule,
    search: flagRule,
  },
  check(options, { path }, report) {
    if (options.toc && options.html === false)
      report.add(`${path}.toc`, 'is not allowed with html: false. Leave one of them out')
  },
  schema: (options) => ({
    type: 'string',
    maxLength: longest(options),
    ...(hasExample(options) ? { examples: [EXAMPLE.text] } : {}),
  }),
  accepts: (value) => typeof value === 'string',
  default: (options) => options.default,
  search: (options) => (options.search === false ? undefined : { weight: 1, words: String }),
  generated(key, options) {
    if (options.html === false) return []
    const html = createHtml(key, options)
    return options.toc ? [html, createToc(key)] : [html]
  },
}

const createHtml = (key: string, options: MarkdownOptions): DerivedValue => ({
  key: `${key}Html`,
  schema: {
    type: ['string', 'null'],
    readOnly: true,
    description: `Sanitized HTML of ${key}.`,
    ...(hasExample(options) ? { examples: [EXAMPLE.html] } : {}),
  },
  isHtml: true,
  make: async (value, tools) => (typeof value === 'string' ? tools.renderMarkdown(value) : null),
})

const createToc = (key: string): ExtractedValue => ({
  key: `${key}Toc`,
  schema: {
    type: ['array', 'null'],
    items: TOC_ENTRY_SCHEMA,
    maxItems: MAX_TOC_HEADINGS,
    readOnly: true,
    description: `Headings of ${key}, in order, with the ids that they have in ${key}Html.`,
  },
  from: `${key}Html`,
  extract: (html) => (typeof html === 'string' ? tableOfContents(html) : null),
})

const TOC_ENTRY_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    text: { type: 'string' },
    level: { type: 'integer', minimum: 1, maximum: 6 },
  },
  required: ['id', 'text', 'level'],
  additionalProperties: false,
}

type GeneratedOf<O extends MarkdownOptions> = O extends { readonly html: false }
  ? Record<never, never>
  : O extends { readonly toc: true }
    ? { readonly Html: string; readonly Toc: readonly TocEntry[] }
    : { readonly Html: string }

/**
 * Long text in GitHub-flavoured Markdown. Its sanitized HTML is made when the text changes, and served as `<key>Html`; with `toc: true`, its
 * headings are served as `<key>Toc`. It can be neither filtered nor sorted.
 *
 * @see docs/guides/modelling-content.md#allow-html-in-markdown
 */
export function markdownField<const O extends MarkdownOptions = Record<never, never>>(
  options?: Exactly<O, MarkdownOptions>,
): Field<string, NoInfer<O> & { readonly '~unfiltered'?: true }, string, GeneratedOf<O>> {
  return makeField(markdown, (options ?? {}) as O)
}
