/**
 * Patterns of values that differ in each run. The first match binds the value on the page to the real one, which replaces it in later
 * commands of the page.
 */
const CHANGING: readonly RegExp[] = [
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/,
  /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/,
  /(?<=")[0-9a-z]{1,6}\.[\w-]{8}(?=-br|-zst|-gz|\\?")/,
  /[\w-]{40,}/,
]
const ANY = new RegExp(CHANGING.map(({ source }) => `(${source})`).join('|'), 'g')

/** The real values, by the values on the page. */
export type Bindings = Map<string, string>

export function bind(text: string, bindings: Bindings): string {
  let bound = text
  for (const [shown, real] of bindings) bound = bound.replaceAll(shown, real)
  return bound
}

/** Removes white space between the tokens of JSON, also of JSON with `…`. */
export function compact(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_all, string: string | undefined) => string ?? '')
}

const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** Makes a pattern from the text of a page: `…` matches anything, a changing value any value of its form. */
function toPattern(shown: string, bindings: Bindings): { readonly pattern: RegExp; readonly unbound: string[] } {
  const unbound: string[] = []
  let source = ''
  let end = 0
  for (const { 0: value, index } of shown.matchAll(ANY)) {
    source += loose(shown.slice(end, index))
    source += place(value, bindings, unbound)
    end = index + value.length
  }
  return { pattern: new RegExp(`^${source}${loose(shown.slice(end))}$`), unbound }
}

const loose = (text: string): string => text.split('…').map(literally).join('[^]*?')

function place(value: string, bindings: Bindings, unbound: string[]): string {
  const bound = bindings.get(value)
  if (bound !== undefined) return literally(bound)
  const earlier = unbound.indexOf(value)
  if (earlier >= 0) return `\\${earlier + 1}`
  unbound.push(value)
  return `(${CHANGING.find((form) => new RegExp(`^${withoutSides(form)}$`).test(value))?.source ?? literally(value)})`
}

const withoutSides = ({ source }: RegExp): string => source.replace(/\(\?<?=[^)]*\)/g, '')

/** True if a text matches the text of a page. Binds changing values. */
export function matches(shown: string, real: string, bindings: Bindings): boolean {
  const { pattern, unbound } = toPattern(shown, bindings)
  const match = pattern.exec(real)
  if (!match) return false
  for (const [index, value] of unbound.entries()) bindings.set(value, match[index + 1] ?? value)
  return true
}

const isJson = (text: string): boolean => /^\s*[{[]/.test(text)

function splitMessage(text: string): { readonly head: readonly string[]; readonly body: string } {
  if (!text.startsWith('HTTP/')) return { head: [], body: text }
  const [head = '', ...body] = text.replaceAll('\r\n', '\n').split('\n\n')
  return { head: head.split('\n'), body: body.join('\n\n') }
}

/** Returns the first difference of a response to that of the page, `undefined` if they agree. Headers that the page leaves out are ignored. */
export function difference(shown: string, real: string, bindings: Bindings): string | undefined {
  const expected = splitMessage(shown.trim())
  const actual = splitMessage(real.trim())
  const lines = actual.head.map((line) => line.replace(/^[^:]+:/, (name) => name.toLowerCase()))
  for (const line of expected.head.filter((header) => header !== '…')) {
    const wanted = line.replace(/^[^:]+:/, (name) => name.toLowerCase())
    if (!lines.some((text) => matches(wanted, text, bindings))) return `no header line like: ${line}`
  }
  const [want, have] = isJson(expected.body)
    ? [compact(expected.body), compact(actual.body)]
    : [expected.body.trim(), actual.body.trim()]
  return matches(want, have, bindings) ? undefined : `the body differs:\n  shown: ${want}\n  real:  ${have}`
}
