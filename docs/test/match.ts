/**
 * Values that differ from run to run, by their form. One that a page shows stands for the one that the service gave:
 * the first match binds the two, and later commands of the page are sent with the real one.
 */
const CHANGING: readonly RegExp[] = [
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/,
  /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/,
  /(?<=")[0-9a-z]{1,6}\.[\w-]{8}(?=-br|-zst|-gz|\\?")/,
  /[\w-]{40,}/,
]
const ANY = new RegExp(CHANGING.map(({ source }) => `(${source})`).join('|'), 'g')

/** Shown values with the real ones that they stand for. */
export type Bindings = Map<string, string>

/** Puts the real values into a command. */
export function bind(text: string, bindings: Bindings): string {
  let bound = text
  for (const [shown, real] of bindings) bound = bound.replaceAll(shown, real)
  return bound
}

/** Takes out white space between the tokens of JSON, or of what JSON with `…` in it looks like. */
export function compact(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_all, string: string | undefined) => string ?? '')
}

const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** A pattern for what a page shows: `…` stands for anything, changing values for any of their form. */
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
  const known = bindings.get(value)
  if (known !== undefined) return literally(known)
  const earlier = unbound.indexOf(value)
  if (earlier >= 0) return `\\${earlier + 1}`
  unbound.push(value)
  return `(${CHANGING.find((form) => new RegExp(`^${withoutSides(form)}$`).test(value))?.source ?? literally(value)})`
}

const withoutSides = ({ source }: RegExp): string => source.replace(/\(\?<?=[^)]*\)/g, '')

/** Whether a text is what a page shows; binds what changes. */
export function matches(shown: string, real: string, bindings: Bindings): boolean {
  const { pattern, unbound } = toPattern(shown, bindings)
  const found = pattern.exec(real)
  if (!found) return false
  for (const [index, value] of unbound.entries()) bindings.set(value, found[index + 1] ?? value)
  return true
}

const isJson = (text: string): boolean => /^\s*[{[]/.test(text)

function splitMessage(text: string): { readonly head: readonly string[]; readonly body: string } {
  if (!text.startsWith('HTTP/')) return { head: [], body: text }
  const [head = '', ...body] = text.replaceAll('\r\n', '\n').split('\n\n')
  return { head: head.split('\n'), body: body.join('\n\n') }
}

/** What of a shown answer the real one lacks; nothing when they agree. Headers that are not shown do not count. */
export function difference(shown: string, real: string, bindings: Bindings): string | undefined {
  const expected = splitMessage(shown.trim())
  const actual = splitMessage(real.trim())
  const lines = actual.head.map((line) => line.replace(/^[^:]+:/, (name) => name.toLowerCase()))
  for (const line of expected.head.filter((one) => one !== '…')) {
    const wanted = line.replace(/^[^:]+:/, (name) => name.toLowerCase())
    if (!lines.some((one) => matches(wanted, one, bindings))) return `no header line like: ${line}`
  }
  const [want, have] = isJson(expected.body)
    ? [compact(expected.body), compact(actual.body)]
    : [expected.body.trim(), actual.body.trim()]
  return matches(want, have, bindings) ? undefined : `the body differs:\n  shown: ${want}\n  real:  ${have}`
}
