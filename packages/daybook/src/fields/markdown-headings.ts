import { slugify } from '../slugs.ts'

/** A heading of a Markdown text. */
export interface TocEntry {
  /** The `id` of the heading in the HTML, so that `#ID` links to it. */
  readonly id: string
  /** The text of the heading, without marks. */
  readonly text: string
  /** The level of the heading: 1 for `#`, 6 for `######`. */
  readonly level: number
}

/** A heading in sanitized HTML: every tag is well-formed, and `<`, `>` and quotes are escaped in texts and values. */
interface HtmlHeading {
  readonly level: number
  /** The attributes as written in the tag, from the space before the first one. */
  readonly attributes: string
  readonly content: string
  /** The offset of the attributes. */
  readonly start: number
}

/** The maximum number of headings in a table of contents, which is made on the event loop. */
export const MAX_TOC_HEADINGS = 1000
/** The prefix of ids in raw HTML, and of footnotes. */
const AUTHOR_ID_PREFIX = 'user-content-'
/** The id of the heading above the footnotes, which is visually hidden. */
const FOOTNOTES_ID = `${AUTHOR_ID_PREFIX}footnote-label`
/** The id of a heading without letters and digits, and the prefix of one that would look like an author's id. */
const FALLBACK_ID = 'section'

const HEADING_TAG = /<(\/?)h([1-6])((?: [^>]*)?)>/g
const ATTRIBUTE = / ([^ =]+)(?:="([^"]*)")?/gy
const FOOTNOTE_REFERENCE = /<sup><a [^>]* data-footnote-ref[^>]*>\d+<\/a><\/sup>/g
const TAG = /<([a-z0-9]+)([^>]*)>|<\/[^>]*>/g
const CHARACTERS: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' }

/**
 * Gives every heading of sanitized HTML an id from its text. Repeated texts get `-2`, `-3` … in order, without ids of other texts.
 */
export function addHeadingIds(html: string): string {
  const headings = [...findHeadings(html)].flatMap((heading) => {
    const writtenId = readId(heading)
    const wantedId = writtenId ?? createId(getHeadingText(heading))
    return wantedId === undefined ? [] : [{ ...heading, writtenId, wantedId }]
  })
  const ids = makeUnique(headings.map(({ wantedId }) => wantedId))
  let marked = ''
  let end = 0
  headings.forEach(({ attributes, start, writtenId }, index) => {
    if (ids[index] === writtenId) return
    marked += `${html.slice(end, start)} id="${ids[index]}"${withoutId(attributes)}`
    end = start + attributes.length
  })
  return marked + html.slice(end)
}

/** Lists the headings with an id of sanitized HTML, among the first {@link MAX_TOC_HEADINGS}. */
export function tableOfContents(html: string): readonly TocEntry[] {
  const entries: TocEntry[] = []
  let count = 0
  for (const heading of findHeadings(html)) {
    if (++count > MAX_TOC_HEADINGS) break
    const id = readId(heading)
    if (id === undefined || id === FOOTNOTES_ID) continue
    entries.push({ id: decode(id), text: getHeadingText(heading), level: heading.level })
  }
  return entries
}

/** Yields the headings in order. A nested heading is part of the outer one. */
function* findHeadings(html: string): Generator<HtmlHeading> {
  let depth = 0
  let outer = { level: 0, attributes: '', start: 0, end: 0 }
  for (const { 0: tag, 1: slash, 2: level, 3: attributes = '', index } of html.matchAll(HEADING_TAG)) {
    if (slash === '') {
      depth += 1
      const start = index + '<h1'.length
      if (depth === 1) outer = { level: Number(level), attributes, start, end: index + tag.length }
    } else {
      depth -= 1
      if (depth === 0) yield { ...outer, content: html.slice(outer.end, index) }
    }
  }
}

/** Returns the text of a heading, with the alternative text of images, and without references to footnotes. */
function getHeadingText({ content }: HtmlHeading): string {
  const words = content
    .replace(FOOTNOTE_REFERENCE, '')
    .replace(TAG, (_tag, name?: string, attributes = '') => {
      if (name === 'img') return readAttribute(attributes, 'alt') ?? ''
      return name === 'br' ? ' ' : ''
    })
    .replace(/\s+/g, ' ')
    .trim()
  return decode(words)
}

/** Creates the id for the text of a heading, or returns `undefined` without a text. */
function createId(text: string): string | undefined {
  if (text === '') return undefined
  const slug = slugify(text) || FALLBACK_ID
  return slug.startsWith(AUTHOR_ID_PREFIX) ? `${FALLBACK_ID}-${slug}` : slug
}

/** Makes ids unique. The first heading with an id keeps it. */
function makeUnique(ids: readonly string[]): readonly string[] {
  const firstIds = new Set(ids)
  const lastNumbers = new Map<string, number>()
  return ids.map((id) => {
    const last = lastNumbers.get(id)
    let number = last === undefined ? 1 : last + 1
    while (number > 1 && firstIds.has(`${id}-${number}`)) number += 1
    lastNumbers.set(id, number)
    return number === 1 ? id : `${id}-${number}`
  })
}

const readId = ({ attributes }: HtmlHeading): string | undefined => readAttribute(attributes, 'id')?.trim() || undefined

function readAttribute(attributes: string, name: string): string | undefined {
  for (const [, attribute, value] of attributes.matchAll(ATTRIBUTE)) {
    if (attribute === name) return value
  }
  return undefined
}

const withoutId = (attributes: string): string =>
  attributes.replace(ATTRIBUTE, (attribute, name: string) => (name === 'id' ? '' : attribute))

const decode = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot);/g, (escaped) => CHARACTERS[escaped] ?? escaped)
