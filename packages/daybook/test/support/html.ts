export interface HtmlTag {
  readonly tag: string
  readonly attributes: ReadonlyMap<string, string>
}

const ATTRIBUTE = /\s+([^\s"'<>/=]+)(?:=(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g
const TAG = new RegExp(`<([a-z][a-z0-9]*)((?:${ATTRIBUTE.source})*)\\s*/?>|</[a-z][a-z0-9]*>`, 'g')

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Elements that have no end. */
const VOID: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'input', 'source'])

/**
 * The elements of an HTML text as our renderer writes it: lower-case tags, well-formed attributes, nothing else, and each
 * element ends inside the one that it began in. A browser reads such a text in one way only; anything else is refused.
 *
 * @throws {Error} for a `<` that opens no such tag: a comment, a half tag, a doctype; for an element that does not end
 */
export function parseHtml(html: string): readonly HtmlTag[] {
  const rest = html.replace(TAG, '')
  if (rest.includes('<'))
    throw new Error(`Not plain HTML: ${rest.slice(Math.max(0, rest.indexOf('<') - 20), rest.indexOf('<') + 60)}`)
  const tags = [...html.matchAll(TAG)]
  requireBalance(tags.map(([text, tag]) => tag ?? text.slice(1, -1)))
  return tags
    .filter(([, tag]) => tag !== undefined)
    .map(([, tag = '', attributes = '']) => ({ tag, attributes: new Map(readAttributes(attributes)) }))
}

/** @param tags names of elements that begin, and with a slash before them those of elements that end */
function requireBalance(tags: readonly string[]): void {
  const open: string[] = []
  for (const tag of tags) {
    if (!tag.startsWith('/')) open.push(...(VOID.has(tag) ? [] : [tag]))
    else if (open.pop() !== tag.slice(1)) throw new Error(`<${tag}> ends what has not begun.`)
  }
  if (open.length > 0) throw new Error(`Never ended: ${open.join(', ')}`)
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
