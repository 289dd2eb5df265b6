/** An image in a piece of HTML. */
export interface HtmlImage {
  readonly address: string
  readonly alt: string
  /** Where the address stands, without its quotes. */
  readonly start: number
  readonly end: number
}

/** Comments, elements whose content is text, and tags (HTML, section 13.1); the attributes of images are captured. */
const PIECE =
  /<!--[\s\S]*?(?:-->|$)|<(script|style|textarea|title)\b[\s\S]*?(?:<\/\1\s*>|$)|<img(?=[\s/])(?<attributes>(?:[^>"']|"[^"]*"|'[^']*')*)>|<\/?[a-z](?:[^>"']|"[^"]*"|'[^']*')*>/dgi
const ATTRIBUTE = /(?<name>[^\s"'<>/=]+)(?:\s*=\s*(?:"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<bare>[^\s"'=<>`]+)))?/dg

/** The images with an address in a piece of HTML, in order. */
export function htmlImages(html: string): readonly HtmlImage[] {
  return [...html.matchAll(PIECE)].flatMap(({ groups, indices }) => {
    const [from] = indices?.groups?.attributes ?? []
    if (from === undefined) return []
    const attributes = readAttributes(groups?.attributes ?? '')
    const source = attributes.get('src')
    if (!source) return []
    const alt = attributes.get('alt')?.value ?? ''
    return [{ address: source.value, alt, start: from + source.start, end: from + source.end }]
  })
}

/** The value of an attribute, and its place. */
interface AttributeValue {
  readonly value: string
  readonly start: number
  readonly end: number
}

/** The attributes of a tag that have a value; of several with one name, the first one counts. */
function readAttributes(text: string): ReadonlyMap<string, AttributeValue> {
  const found = new Map<string, AttributeValue>()
  for (const { groups = {}, indices } of text.matchAll(ATTRIBUTE)) {
    const name = groups.name?.toLowerCase() ?? ''
    const kind = ['double', 'single', 'bare'].find((one) => groups[one] !== undefined)
    const [start, end] = indices?.groups?.[kind ?? ''] ?? []
    if (kind === undefined || start === undefined || end === undefined || found.has(name)) continue
    found.set(name, { value: groups[kind]?.replaceAll('&amp;', '&') ?? '', start, end })
  }
  return found
}
