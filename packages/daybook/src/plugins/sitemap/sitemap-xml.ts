import type { PathTemplate } from '../../entry-path.ts'
import type { CallerContent, HookData } from '../../index.ts'
import { type ListedCollection, localeQuery } from './options.ts'

/** Characters that no XML 1.0 document may hold, escaped or not: control characters, halves of surrogate pairs. */
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\r': '&#13;',
}

export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** Escapes text for an element or an attribute of an XML 1.0 document. */
export const escapeXml = (text: string): string =>
  text.replace(FORBIDDEN, '').replace(/[&<>"'\r]/g, (character) => ESCAPES[character] ?? '')

/** Writes an element that contains text, or nothing if the text is `undefined`. */
export const textElement = (name: string, text: string | undefined): string =>
  text === undefined ? '' : `<${name}>${escapeXml(text)}</${name}>`

/** The longest URL that the protocol allows, escaped, in bytes. */
export const MAX_URL_BYTES = 2047
/** The number of entries that are read at once; a collection may allow fewer. */
const BATCH = 500

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'
const BEGIN = `${XML_DECLARATION}<urlset xmlns="${NAMESPACE}" xmlns:xhtml="http://www.w3.org/1999/xhtml">\n`
const END = '</urlset>\n'

/** A range of a collection's entries in one locale, in the order of their creation. */
export interface EntryRange {
  readonly collection: ListedCollection
  readonly template: PathTemplate
  readonly offset: number
  readonly count: number
}

export interface SitemapContent {
  /** Absolute URLs of pages other than entries. */
  readonly pages: readonly string[]
  readonly ranges: readonly EntryRange[]
}

export function writeIndex(urls: readonly string[]): string {
  const files = urls.map((url) => `<sitemap>${textElement('loc', url)}</sitemap>\n`)
  return `${XML_DECLARATION}<sitemapindex xmlns="${NAMESPACE}">\n${files.join('')}</sitemapindex>\n`
}

/** Writes a sitemap in parts, while it reads the entries. */
export async function* writeSitemap(
  content: CallerContent,
  baseUrl: string,
  { pages, ranges }: SitemapContent,
): AsyncGenerator<string> {
  yield BEGIN + pages.map((url) => `<url>${textElement('loc', url)}</url>\n`).join('')
  for (const range of ranges) {
    for await (const entries of readPages(content, range)) {
      yield entries.map((entry) => writeEntry(entry, baseUrl)).join('')
    }
  }
  yield END
}

/** A page of an entry; an entry may have one for each locale. */
interface EntryPage {
  readonly locale: string | undefined
  /** Percent-encoded. */
  readonly path: string
}

interface TranslatedPage {
  /** ISO 8601. */
  readonly updatedAt: string
  readonly page: EntryPage
  readonly translations: readonly EntryPage[]
}

/** Writes the element of a page. If the page has translations, the element names all of them, as search engines require. */
function writeEntry({ updatedAt, page, translations }: TranslatedPage, baseUrl: string): string {
  const toUrl = ({ path }: EntryPage): string => escapeXml(`${baseUrl}${path}`)
  if (toUrl(page).length > MAX_URL_BYTES) return ''
  const alternates = translations.filter((translation) => toUrl(translation).length <= MAX_URL_BYTES)
  const links = alternates.map(
    ({ locale, path }) =>
      `<xhtml:link rel="alternate" hreflang="${escapeXml(locale ?? '')}" href="${toUrl({ locale, path })}"/>`,
  )
  const details = textElement('lastmod', updatedAt) + (links.length > 1 ? links.join('') : '')
  return `<url><loc>${toUrl(page)}</loc>${details}</url>\n`
}

/** Reads the pages of a range of entries, one batch of entries at a time. */
async function* readPages(
  content: CallerContent,
  { collection, template, offset, count }: EntryRange,
): AsyncGenerator<readonly TranslatedPage[]> {
  const query = { ...pageQuery(template), sort: 'createdAt', limit: BATCH }
  let list = await content.list(collection.key, { ...query, offset })
  for (let remaining = count; remaining > 0; ) {
    const entries: readonly HookData[] = list.items.slice(0, remaining)
    yield await addTranslations(content, collection, template, entries)
    remaining -= entries.length
    if (list.nextCursor === null || entries.length === 0) return
    if (remaining > 0) list = await content.list(collection.key, { ...query, cursor: list.nextCursor })
  }
}

const pageQuery = (template: PathTemplate) => ({
  select: [...new Set([...template.fields, 'updatedAt'])],
  ...localeQuery(template),
})

/** @param entries in the locale of the template */
async function addTranslations(
  content: CallerContent,
  { key, templates }: ListedCollection,
  template: PathTemplate,
  entries: readonly HookData[],
): Promise<readonly TranslatedPage[]> {
  const where = { id: { in: entries.map(({ id }) => String(id)) } }
  const versions = await Promise.all(
    templates.map(async (translated) => {
      const query = { ...pageQuery(translated), where, limit: entries.length }
      const items: readonly HookData[] = translated === template ? entries : (await content.list(key, query)).items
      return { translated, byId: new Map(items.map((entry) => [entry.id, entry])) }
    }),
  )
  return entries.flatMap((entry) => {
    const translations = versions.flatMap(({ translated, byId }) => pagesFor(translated, byId.get(entry.id)))
    return pagesFor(template, entry).map((page) => ({ updatedAt: String(entry.updatedAt), page, translations }))
  })
}

function pagesFor(template: PathTemplate, entry: HookData | undefined): readonly EntryPage[] {
  const path = entry && template.pathFor(entry)
  return path === undefined ? [] : [{ locale: template.locale, path }]
}
