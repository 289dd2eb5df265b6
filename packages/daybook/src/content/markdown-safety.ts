import type { StateCore, Token } from 'markdown-it'

type Attribute = NonNullable<Token['attrs']>[number]

/** What may stand in the HTML of a text, and which attributes each element may have. */
const ELEMENTS: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'title'],
  blockquote: [],
  br: [],
  code: ['class'],
  del: [],
  em: [],
  h1: [],
  h2: [],
  h3: [],
  h4: [],
  h5: [],
  h6: [],
  hr: [],
  img: ['src', 'alt', 'title'],
  input: ['type', 'checked', 'disabled'],
  li: ['class'],
  ol: ['start', 'class'],
  p: [],
  pre: [],
  strong: [],
  table: [],
  tbody: [],
  td: ['align'],
  th: ['align'],
  thead: [],
  tr: [],
  ul: ['class'],
}

/** The schemes that a link or an image may name; without one an address is relative to the page. */
const SCHEMES: ReadonlySet<string> = new Set(['http', 'https', 'irc', 'ircs', 'mailto', 'xmpp'])
/** A scheme ends at the first colon, unless the path, query or fragment has begun (RFC 3986, section 3). */
const BEFORE_COLON = /^[^/?#]*?:/
const ALIGNMENT = /^text-align:(left|center|right)$/

/** Leaves in a parsed text only what the lists above name, whatever rule or plugin put it there. */
export function dropUnsafe({ tokens }: StateCore): void {
  for (const token of tokens) {
    makeSafe(token)
    token.children?.forEach(makeSafe)
  }
}

function makeSafe(token: Token): void {
  if (token.tag === 's') token.tag = 'del'
  const allowed = token.tag === '' ? [] : ELEMENTS[token.tag]
  if (allowed === undefined) throw new Error(`Markdown must not make <${token.tag}>.`)
  if (token.attrs) {
    token.attrs = token.attrs.map(align).filter(([name, value]) => allowed.includes(name) && isSafe(name, value))
  }
}

function align([name, value]: Attribute): Attribute {
  const side = name === 'style' ? ALIGNMENT.exec(String(value))?.[1] : undefined
  return side === undefined ? [name, value] : ['align', side]
}

function isSafe(name: string, value: Attribute[1]): boolean {
  if (name !== 'href' && name !== 'src') return true
  const scheme = BEFORE_COLON.exec(String(value))?.[0].slice(0, -1)
  return scheme === undefined || SCHEMES.has(scheme.toLowerCase())
}
