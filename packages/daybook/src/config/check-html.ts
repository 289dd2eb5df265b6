import type { FaultReport } from '../fields/field.ts'
import { isRecord } from '../fields/field.ts'

/** Elements that run or load what an author names, speak for the whole page, or are read by rules of their own. */
const UNSAFE_ELEMENTS: ReadonlySet<string> = new Set(
  (
    'script style iframe frame frameset noframes object embed applet portal base link meta html head body title ' +
    'svg math template slot noscript noembed plaintext xmp textarea'
  ).split(' '),
)
/** Attributes that run, load or play what an author writes, or put an element over the page. */
const UNSAFE_ATTRIBUTE = /^on|^(?:style|srcdoc|autoplay)$/
const ELEMENT = /^[a-z][a-z0-9-]*$/
/** Sets of attributes that no browser gives a meaning may be named by their beginning. */
const ATTRIBUTE = /^[a-z][a-z0-9-]*$|^(?:data|aria)-\*$/

/** Names what cannot be allowed in the HTML of Markdown. */
export function checkAllowedElements(value: unknown, path: string, report: FaultReport): void {
  const names = matchingTexts(ELEMENT, value)
  if (!names) report.add(path, 'write a list of elements in lower case, such as ["figure", "figcaption"]')
  for (const name of names?.filter((one) => UNSAFE_ELEMENTS.has(one)) ?? []) {
    report.add(path, `<${name}> cannot be made safe; leave it out`)
  }
}

/** Names what cannot be allowed in the HTML of Markdown. */
export function checkAllowedAttributes(value: unknown, path: string, report: FaultReport): void {
  const lists = isRecord(value) ? Object.entries(value) : undefined
  if (!lists) report.add(path, 'write lists by element, such as { a: ["target"], "*": ["class"] }')
  for (const [element, names] of lists ?? []) checkAttributes(element, names, `${path}.${element}`, report)
}

function checkAttributes(element: string, value: unknown, path: string, report: FaultReport): void {
  if (element !== '*' && !ELEMENT.test(element)) report.add(path, 'write an element in lower case, or * for every one')
  const names = matchingTexts(ATTRIBUTE, value)
  if (!names) report.add(path, 'write a list of attributes in lower case, such as ["class", "data-*"]')
  for (const name of names?.filter((one) => UNSAFE_ATTRIBUTE.test(one)) ?? []) {
    report.add(path, `${name} cannot be made safe; ${name === 'style' ? 'allow class instead' : 'leave it out'}`)
  }
}

/** A list of texts that match; `undefined` when it is none. */
function matchingTexts(pattern: RegExp, value: unknown): readonly string[] | undefined {
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string' && pattern.test(one))
  return isList ? value : undefined
}

/** Says what is wrong with a list of hosts; `undefined` if nothing is. */
export function findMediaHostsFault(value: unknown): string | undefined {
  const isHost = (host: unknown): boolean =>
    typeof host === 'string' && !host.includes('*') && URL.parse(`https://${host}`)?.host === host
  if (Array.isArray(value) && value.every(isHost)) return undefined
  return 'write a list of hosts without scheme and path, such as ["media.example.org"]'
}
