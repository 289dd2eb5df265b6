import type { Feed, FeedItem } from './feed.ts'
import { escapeXml, textElement, XML_DECLARATION } from './xml.ts'

/** A form in which a feed is answered. */
export interface FeedFormat {
  /** The end of its address, such as `rss`. */
  readonly ending: string
  readonly mediaType: string
  readonly name: string
  write(feed: Feed): string
}

const urnOf = ({ id }: FeedItem): string => `urn:uuid:${id}`

/** RSS 2.0, with `content:encoded` for HTML and `dc:creator` for names. */
function writeRss({ title, home, self, description, language, updated, items }: Feed): string {
  const channel = [
    textElement('title', title),
    textElement('link', `${home}/`),
    `<atom:link href="${escapeXml(self)}" rel="self" type="application/rss+xml"/>`,
    textElement('description', description),
    textElement('language', language),
    textElement('lastBuildDate', updated.toUTCString()),
    ...items.map(rssItem),
  ]
  const namespaces = [
    'xmlns:atom="http://www.w3.org/2005/Atom"',
    'xmlns:content="http://purl.org/rss/1.0/modules/content/"',
    'xmlns:dc="http://purl.org/dc/elements/1.1/"',
  ]
  return `${XML_DECLARATION}<rss version="2.0" ${namespaces.join(' ')}>\n<channel>${channel.join('\n')}</channel>\n</rss>\n`
}

function rssItem(item: FeedItem): string {
  const parts = [
    textElement('title', item.title),
    textElement('link', item.url),
    `<guid isPermaLink="false">${urnOf(item)}</guid>`,
    textElement('pubDate', item.published.toUTCString()),
    ...item.authors.map((name) => textElement('dc:creator', name)),
    textElement('description', item.summary),
    textElement('content:encoded', item.content),
  ]
  return `<item>${parts.join('')}</item>`
}

/** Atom (RFC 4287). */
function writeAtom({ title, description, author, home, self, language, updated, items }: Feed): string {
  const parts = [
    textElement('id', self),
    textElement('title', title),
    textElement('subtitle', description),
    `<link rel="self" type="application/atom+xml" href="${escapeXml(self)}"/>`,
    `<link rel="alternate" href="${escapeXml(home)}/"/>`,
    textElement('updated', updated.toISOString()),
    `<author>${textElement('name', author)}</author>`,
    ...items.map(atomEntry),
  ]
  const xmlLang = language === undefined ? '' : ` xml:lang="${escapeXml(language)}"`
  return `${XML_DECLARATION}<feed xmlns="http://www.w3.org/2005/Atom"${xmlLang}>\n${parts.join('\n')}</feed>\n`
}

function atomEntry(item: FeedItem): string {
  const parts = [
    textElement('id', urnOf(item)),
    textElement('title', item.title),
    `<link rel="alternate" href="${escapeXml(item.url)}"/>`,
    textElement('published', item.published.toISOString()),
    textElement('updated', item.updated.toISOString()),
    ...item.authors.map((name) => `<author>${textElement('name', name)}</author>`),
    textElement('summary', item.summary),
    item.content === undefined ? '' : `<content type="html">${escapeXml(item.content)}</content>`,
  ]
  return `<entry>${parts.join('')}</entry>`
}

/** JSON Feed 1.1. */
function writeJson({ title, description, author, home, self, language, items }: Feed): string {
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: `${home}/`,
    feed_url: self,
    description,
    language,
    authors: [{ name: author }],
    items: items.map(jsonItem),
  })
}

/** An item without content has text in its place, as it must have one of them. */
const jsonItem = (item: FeedItem) => ({
  id: urnOf(item),
  url: item.url,
  title: item.title,
  ...(item.content === undefined ? { content_text: item.summary ?? '' } : { content_html: item.content }),
  summary: item.summary,
  date_published: item.published.toISOString(),
  date_modified: item.updated.toISOString(),
  ...(item.authors.length > 0 ? { authors: item.authors.map((name) => ({ name })) } : {}),
})

export const FEED_FORMATS: readonly FeedFormat[] = [
  { ending: 'rss', mediaType: 'application/rss+xml', name: 'RSS 2.0', write: writeRss },
  { ending: 'atom', mediaType: 'application/atom+xml', name: 'Atom (RFC 4287)', write: writeAtom },
  { ending: 'json', mediaType: 'application/feed+json', name: 'JSON Feed 1.1', write: writeJson },
]
