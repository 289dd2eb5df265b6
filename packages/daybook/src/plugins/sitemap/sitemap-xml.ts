import type { Lists } from '../lists.ts'
import type { ListedCollection } from './listed-collection.ts'
import { type EntryPage, type EntryRun, entryPages, type TranslatedPage } from './pages.ts'
import { MAX_ADDRESS } from './sitemap-files.ts'
import { escapeXml, textElement, XML_DECLARATION } from './xml.ts'

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'
const BEGIN = `${XML_DECLARATION}<urlset xmlns="${NAMESPACE}" xmlns:xhtml="http://www.w3.org/1999/xhtml">\n`
const END = '</urlset>\n'

/** The index of several sitemaps. */
export function indexXml(addresses: readonly string[]): string {
  const files = addresses.map((address) => `<sitemap>${textElement('loc', address)}</sitemap>\n`)
  return `${XML_DECLARATION}<sitemapindex xmlns="${NAMESPACE}">\n${files.join('')}</sitemapindex>\n`
}

/** What one sitemap holds. */
export interface SitemapContent {
  /** Absolute addresses of pages that are no entries. */
  readonly pages: readonly string[]
  readonly runs: readonly (readonly [ListedCollection, EntryRun])[]
}

/** A sitemap, in parts as entries are read. */
export async function* sitemapXml(
  lists: Lists,
  baseUrl: string,
  { pages, runs }: SitemapContent,
): AsyncGenerator<string> {
  yield BEGIN + pages.map((address) => `<url>${textElement('loc', address)}</url>\n`).join('')
  for (const [collection, run] of runs) {
    for await (const entries of entryPages(lists, collection, run)) {
      yield entries.map((one) => urlOf(one, baseUrl)).join('')
    }
  }
  yield END
}

/** The element of a page, which names those of all translations (as search engines ask of translations). */
function urlOf({ updatedAt, page, pages }: TranslatedPage, baseUrl: string): string {
  const addressOf = ({ path }: EntryPage): string => escapeXml(`${baseUrl}${path}`)
  if (addressOf(page).length > MAX_ADDRESS) return ''
  const located = pages.filter((one) => addressOf(one).length <= MAX_ADDRESS)
  const links = located.map(
    (one) => `<xhtml:link rel="alternate" hreflang="${escapeXml(one.locale ?? '')}" href="${addressOf(one)}"/>`,
  )
  const about = textElement('lastmod', updatedAt) + (located.length > 1 ? links.join('') : '')
  return `<url><loc>${addressOf(page)}</loc>${about}</url>\n`
}
