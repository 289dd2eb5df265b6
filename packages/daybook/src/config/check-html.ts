import { type FaultReport, isRecord } from '../fields/field.ts'

/** Elements that run or load content of an author, affect the whole page, or have special parsing rules. */
const UNSAFE_ELEMENTS: ReadonlySet<string> = new Set(
  (
    'script style iframe frame frameset noframes object embed applet portal base link meta html head body title ' +
    'svg math template slot noscript noembed plaintext xmp textarea'
  ).split(' '),
)
/** Attributes that run, load or play content of an author, or can cover the page. */
const UNSAFE_ATTRIBUTE = /^on|^(?:style|srcdoc|autoplay)$/
const ELEMENT = /^[a-z][a-z0-9-]*$/
/** Attributes without a meaning for browsers may be allowed by prefix. */
const ATTRIBUTE = /^[a-z][a-z0-9-]*$|^(?:data|aria)-\*$/

/** Reports elements that cannot be allowed in the HTML of Markdown. */
export function checkAllowedElements(value: unknown, path: string, report: FaultReport): void {
  const names = readMatchingTexts(ELEMENT, value)
  if (!names) report.add(path, 'must be a list of elements in lower case, such as ["figure", "figcaption"]')
  for (const name of names?.filter((element) => UNSAFE_ELEMENTS.has(element)) ?? []) {
    report.add(path, `contains <${name}>, which cannot be made safe. Leave it out`)
  }
}

/** Reports attributes that cannot be allowed in the HTML of Markdown. */
export function checkAllowedAttributes(value: unknown, path: string, report: FaultReport): void {
  const lists = isRecord(value) ? Object.entries(value) : undefined
  if (!lists) report.add(path, 'must be an object of lists by element, such as { a: ["target"], "*": ["class"] }')
  for (const [element, names] of lists ?? []) checkAttributes(element, names, `${path}.${element}`, report)
}

function checkAttributes(element: string, value: unknown, path: string, report: FaultReport): void {
  if (element !== '*' && !ELEMENT.test(element))
    report.add(path, 'is not an element in lower case. Use one, or * for every element')
  const names = readMatchingTexts(ATTRIBUTE, value)
  if (!names) report.add(path, 'must be a list of attributes in lower case, such as ["class", "data-*"]')
  for (const name of names?.filter((attribute) => UNSAFE_ATTRIBUTE.test(attribute)) ?? []) {
    report.add(
      path,
      `contains ${name}, which cannot be made safe. ${name === 'style' ? 'Allow class instead' : 'Leave it out'}`,
    )
  }
}

/** Returns a list of matching texts, or `undefined` for another value. */
function readMatchingTexts(pattern: RegExp, value: unknown): readonly string[] | undefined {
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string' && pattern.test(item))
  return isList ? value : undefined
}

/** Returns the fault of a list of hosts, or `undefined` if it is valid. */
export function findMediaHostsFault(value: unknown): string | undefined {
  const isHost = (host: unknown): boolean =>
    typeof host === 'string' && !host.includes('*') && URL.parse(`https://${host}`)?.host === host
  if (Array.isArray(value) && value.every(isHost)) return undefined
  return 'must be a list of hosts without scheme and path, such as ["media.example.org"]'
}
