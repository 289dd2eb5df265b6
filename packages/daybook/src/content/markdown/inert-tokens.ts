import type { Token } from 'markdown-it'
import { ALLOWED_SCHEMES } from './html-allow-list.ts'
import { MAX_HTML_DEPTH } from './html-sanitizer.ts'

/** Elements of Markdown, by the beginning of their tokens' names, with the attributes that they may have. */
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
}
/** The same of what is one token. */
const SINGLE: Readonly<Record<string, readonly string[]>> = {
  inline: [],
  text: [],
  softbreak: [],
  hardbreak: [],
  hr: [],
  code_inline: [],
  code_block: [],
  fence: [],
  image: ['src', 'alt', 'title'],
  checkbox: ['type', 'checked', 'disabled'],
}
const INERT: ReadonlyMap<string, readonly string[]> = new Map([
  ...Object.entries(SINGLE),
  ...Object.entries(INERT_ELEMENTS).map(([name, attributes]) => [`${name}_open`, attributes] as const),
  ...Object.keys(INERT_ELEMENTS).map((name) => [`${name}_close`, []] as const),
])

/** Below this depth, neither an element nor the code within it is too deep for the sanitizer. */
const MAX_INERT_DEPTH = MAX_HTML_DEPTH - 2

/**
 * Whether the sanitizer would print the HTML of these tokens again as it is. What is not known here, such as raw HTML and
 * footnotes, is left to it.
 */
export function areInert(tokens: readonly Token[]): boolean {
  return new Scan().passes(tokens)
}

/** A look at each token in order, with what is open there. */
class Scan {
  readonly #open: string[] = []
  #isInLink = false

  /** What opens in a list of tokens closes in it: where a footnote was taken out, an end may stay behind. */
  passes(tokens: readonly Token[]): boolean {
    const depth = this.#open.length
    return tokens.every((token) => this.#passes(token)) && this.#open.length === depth
  }

  #passes(token: Token): boolean {
    if (!this.#nests(token) || !hasInertAttributes(token)) return false
    if (token.type === 'link_open') return this.#opensLink(token)
    if (token.type === 'link_close') this.#isInLink = false
    if (token.type === 'image') return isSafe(token.attrGet('src'), ALLOWED_SCHEMES.other)
    return token.type !== 'inline' || this.passes(token.children ?? [])
  }

  #nests({ type, nesting }: Token): boolean {
    if (nesting > 0) return this.#open.push(type.slice(0, -'_open'.length)) <= MAX_INERT_DEPTH
    return nesting === 0 || this.#open.pop() === type.slice(0, -'_close'.length)
  }

  /** A link within a link ends the outer one. */
  #opensLink(token: Token): boolean {
    const isNested = this.#isInLink
    this.#isInLink = true
    return !isNested && isSafe(token.attrGet('href'), ALLOWED_SCHEMES.link)
  }
}

function hasInertAttributes({ type, attrs }: Token): boolean {
  const allowed = INERT.get(type)
  return allowed !== undefined && (attrs === null || attrs.every(([name]) => allowed.includes(name)))
}

/** Whether an address clearly has a scheme of these, or none; the sanitizer looks closer at any other. */
function isSafe(address: string | number | null, schemes: readonly string[]): boolean {
  const text = String(address)
  const colon = text.indexOf(':')
  return colon < 0 || /^[/?#]/.test(text) || schemes.includes(text.slice(0, colon).toLowerCase())
}
