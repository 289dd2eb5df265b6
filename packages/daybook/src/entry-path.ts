/** The path of an entry's page: `/blog/:slug`, with keys of fields; by locale where each has pages of its own. */
export type EntryPath = string | Readonly<Record<string, string>>

const PLACEHOLDER = /:([a-z][a-zA-Z0-9_]*)/g

/** A path with keys of fields, such as `/blog/:slug`. */
export class PathTemplate {
  readonly #text: string
  /** The locale of the pages with this path; `undefined` if an entry has one page for all locales. */
  readonly locale: string | undefined
  /** Keys of the fields in the path. */
  readonly fields: readonly string[]

  constructor(text: string, locale?: string) {
    this.#text = text
    this.locale = locale
    this.fields = [...text.matchAll(PLACEHOLDER)].map(([, field = '']) => field)
  }

  /** Returns the percent-encoded path of an entry's page, or `undefined` if a field of the path has no usable value. */
  pathFor(entry: Readonly<Record<string, unknown>>): string | undefined {
    const segments = this.fields.map((field) => toSegment(entry[field]))
    if (segments.includes(undefined)) return undefined
    let index = 0
    const path = this.#text.replace(PLACEHOLDER, () => segments[index++] ?? '')
    return path.replace(/[^\x21-\x7e]/gu, encodeURIComponent)
  }
}

/** Returns a value as a segment of a path. The segments `.` and `..` would lead to another path. */
function toSegment(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || text === '' || text === '.' || text === '..') return undefined
  return encodeURIComponent(text.toWellFormed())
}

/** Compiles a path into one template for each locale with pages of its own, in the order of the option. */
export function compilePath(path: EntryPath): readonly PathTemplate[] {
  if (typeof path === 'string') return [new PathTemplate(path)]
  return Object.entries(path).map(([locale, text]) => new PathTemplate(text, locale))
}

/** The advice for an option that is not an {@link EntryPath}. */
export const PATH_ADVICE =
  'must be a path with keys of fields, such as "/blog/:slug", or an object of such paths by locale'

export function isEntryPath(path: unknown): path is EntryPath {
  if (typeof path === 'string') return isTemplate(path)
  if (typeof path !== 'object' || path === null) return false
  const templates: readonly unknown[] = Object.values(path)
  return templates.length > 0 && templates.every((text) => typeof text === 'string' && isTemplate(text))
}

/** A second slash would begin the name of a host. */
const isTemplate = (text: string): boolean =>
  /^\/(?!\/)[^?#\\\s\p{Cc}]*$/u.test(text) && text.isWellFormed() && text.search(PLACEHOLDER) > 0
