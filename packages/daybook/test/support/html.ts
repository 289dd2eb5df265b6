/** An element of an HTML text. */
export interface HtmlTag {
  readonly tag: string
  readonly attributes: ReadonlyMap<string, string>
}

const ATTRIBUTE = /\s+([^\s"'<>/=]+)(?:=(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g
const TAG = new RegExp(`<([a-z][a-z0-9]*)((?:${ATTRIBUTE.source})*)\\s*/?>|</[a-z][a-z0-9]*>`, 'g')

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/**
 * The elements of an HTML text as our renderer writes it: lower-case tags, well-formed attributes, nothing else.
 * A browser reads such a text in one way only; anything outside of it is refused.
 *
 * @throws {Error} for a `<` that opens no such tag: a comment, a half tag, a doctype
 */
export function parseHtml(html: string): readonly HtmlTag[] {
  const rest = html.replace(TAG, '')
  if (rest.includes('<'))
    throw new Error(`Not plain HTML: ${rest.slice(Math.max(0, rest.indexOf('<') - 20), rest.indexOf('<') + 60)}`)
  return [...html.matchAll(TAG)]
    .filter(([, tag]) => tag !== undefined)
    .map(([, tag = '', attributes = '']) => ({ tag, attributes: new Map(readAttributes(attributes)) }))
}

function readAttributes(text: string): readonly (readonly [string, string])[] {
  return [...text.matchAll(ATTRIBUTE)].map(([, name = '', double, single, bare]) => [
    name.toLowerCase(),
    decode(double ?? single ?? bare ?? ''),
  ])
}

function decode(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]+)|#([0-9]+)|([a-z]+));?/gi,
    (all, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return NAMED[name.toLowerCase()] ?? all
      return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
    },
  )
}
