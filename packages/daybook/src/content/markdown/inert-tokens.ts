import type { Token } from 'markdown-it'
import { ALLOWED_SCHEMES } from './html-allow-list.ts'
import { MAX_HTML_DEPTH } from './html-sanitizer.ts'

/** Elements of Markdown, by the prefix of their token types, with their allowed attributes. */
const INERT_ELEMENTS: Readonly<Record<string, readonly string[]>> = {
  paragraph: [],
  heading: [],
  blockquote: ['class', 'data-callout'],
  bullet_list: ['class'],
  ordered_list: ['start', 'class'],
  list_item: ['class'],
  table: [],
  thead: [],
  tbody: [],
  tr: [],
  th: ['style'],
  td: ['style'],
  em: [],
  strong: [],
  s: [],
  link: ['href', 'title'],
  figure: [],
  figcaption: [],
}
/** Elements and texts of a single token, with their allowed attributes. */
const INERT_SINGLE_TOKENS: Readonly<Record<string, readonly string[]>> = {
  inline: [],
  text: [],
  softbreak: [],
  hardbreak: [],
  hr: [],
  code_inline: [],
  code_block: [],
  fence: [],
  image: ['src', 'alt', 'title', 'width'],
  checkbox: ['type', 'checked', 'disabled'],
}
const INERT_ATTRIBUTES: ReadonlyMap<string, readonly string[]> = new Map([
  ...Object.entries(INERT_SINGLE_TOKENS),
  ...Object.entries(INERT_ELEMENTS).map(([name, attributes]) => [`${name}_open`, attributes] as const),
  ...Object.keys(INERT_ELEMENTS).map((name) => [`${name}_close`, []] as const),
])

/** The maximum depth at which an element and the code inside it are not too deep for the sanitizer. */
const MAX_INERT_DEPTH = MAX_HTML_DEPTH - 2

/**
 * Returns true if the sanitizer would not change the HTML of these tokens. Unknown tokens, such as raw HTML and footnotes, need it.
 */
export function areInert(tokens: readonly Token[]): boolean {
  return new TokenScan().allInert(tokens)
}

/** Checks tokens in order, and tracks the open elements. */
class TokenScan {
  readonly #open: string[] = []
  #isInLink = false

  /** Requires every element to close in the list in which it opens, because a removed footnote may leave an end tag behind. */
  allInert(tokens: readonly Token[]): boolean {
    const depth = this.#open.length
    return tokens.every((token) => this.#isInert(token)) && this.#open.length === depth
  }

  #isInert(token: Token): boolean {
    if (!this.#tracksNesting(token) || !hasInertAttributes(token)) return false
    if (token.type === 'link_open') return this.#opensLink(token)
    if (token.type === 'link_close') this.#isInLink = false
    if (token.type === 'image') return hasSafeScheme(token.attrGet('src'), ALLOWED_SCHEMES.other)
    return token.type !== 'inline' || this.allInert(token.children ?? [])
  }

  #tracksNesting({ type, nesting }: Token): boolean {
    if (nesting > 0) return this.#open.push(type.slice(0, -'_open'.length)) <= MAX_INERT_DEPTH
    return nesting === 0 || this.#open.pop() === type.slice(0, -'_close'.length)
  }

  /** Rejects nested links, since a link inside a link ends the outer one. */
  #opensLink(token: Token): boolean {
    const isNested = this.#isInLink
    this.#isInLink = true
    return !isNested && hasSafeScheme(token.attrGet('href'), ALLOWED_SCHEMES.link)
  }
}

function hasInertAttributes({ type, attrs }: Token): boolean {
  const allowed = INERT_ATTRIBUTES.get(type)
  return allowed !== undefined && (attrs === null || attrs.every(([name]) => allowed.includes(name)))
}

/** Returns true if an address clearly has no scheme or one of these; the sanitizer checks all others. */
function hasSafeScheme(address: string | number | null, schemes: readonly string[]): boolean {
  const text = String(address)
  const colon = text.indexOf(':')
  return colon < 0 || /^[/?#]/.test(text) || schemes.includes(text.slice(0, colon).toLowerCase())
}
