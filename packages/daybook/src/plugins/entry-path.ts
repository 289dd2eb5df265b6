/** The path of an entry's page: `/blog/:slug`, with keys of fields; by locale where each has pages of its own. */
export type EntryPath = string | Readonly<Record<string, string>>

const PLACE = /:([a-z][a-zA-Z0-9_]*)/g

/** A path with keys of fields, such as `/blog/:slug`. */
export class PathTemplate {
  readonly #text: string
  /** The locale whose pages have this path; `undefined`: entries have one page. */
  readonly locale: string | undefined
  /** Keys of the fields in it. */
  readonly fields: readonly string[]

  constructor(text: string, locale?: string) {
    this.#text = text
    this.locale = locale
    this.fields = [...text.matchAll(PLACE)].map(([, field = '']) => field)
  }

  /** The path of an entry, percent-encoded; `undefined` when the entry has no value for it. */
  pathOf(entry: Readonly<Record<string, unknown>>): string | undefined {
    const values = this.fields.map((field) => toSegment(entry[field]))
    if (values.includes(undefined)) return undefined
    let index = 0
    const path = this.#text.replace(PLACE, () => values[index++] ?? '')
    return path.replace(/[^\x21-\x7e]/gu, encodeURIComponent)
  }
}

/** A value as a part of a path. A dot, or two, would lead to another path. */
function toSegment(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || text === '' || text === '.' || text === '..') return undefined
  return encodeURIComponent(text.toWellFormed())
}

/** The templates of a path, the first locale's first. */
export function templatesOf(path: EntryPath): readonly PathTemplate[] {
  if (typeof path === 'string') return [new PathTemplate(path)]
  return Object.entries(path).map(([locale, text]) => new PathTemplate(text, locale))
}

/** What to write in place of a path that is none. */
export const PATH_ADVICE = "write a path with keys of fields, such as '/blog/:slug', or such paths by locale"

/** Whether a value is the path of entries. */
export function isEntryPath(path: unknown): path is EntryPath {
  if (typeof path === 'string') return isTemplate(path)
  if (typeof path !== 'object' || path === null) return false
  const templates: readonly unknown[] = Object.values(path)
  return templates.length > 0 && templates.every((one) => typeof one === 'string' && isTemplate(one))
}

/** A second slash would begin the name of a host. */
const isTemplate = (text: string): boolean =>
  /^\/(?!\/)[^?#\\\s\p{Cc}]*$/u.test(text) && text.isWellFormed() && text.search(PLACE) > 0
