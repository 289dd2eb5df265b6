import type { PathTemplate } from '../../entry-path.ts'
import {
  type CallerContent,
  etagOf,
  type HookData,
  type ListOptions,
  type PluginRequest,
  type PluginRoute,
} from '../../index.ts'
import { describePublicResponses, respondPublicly } from '../public-response.ts'
import {
  CONTENT_MAX_AGE,
  type FeedOptions,
  type ListedCollection,
  listedCollections,
  localeQuery,
  type SitemapOptions,
  siteUrl,
} from './options.ts'
import { escapeXml, textElement, XML_DECLARATION } from './sitemap-xml.ts'

/** The routes `/feeds/posts.rss` and the like, for each collection with a feed. */
export function feedRoutes(options: SitemapOptions, content: CallerContent): readonly PluginRoute[] {
  const home = siteUrl(options)
  return listedCollections(options).flatMap((collection) => {
    const { feed } = collection.options
    if (!feed) return []
    return FEED_FORMATS.map((format) => feedRoute({ collection, feed, format, home }, content))
  })
}

interface CollectionFeed {
  readonly collection: ListedCollection
  readonly feed: FeedOptions
  readonly format: FeedFormat
  /** The URL of the site. */
  readonly home: string
}

function feedRoute(source: CollectionFeed, content: CallerContent): PluginRoute {
  const { collection, format } = source
  const locales = collection.templates.flatMap(({ locale }) => (locale === undefined ? [] : [locale]))
  const locale = { description: `By default ${locales[0]}.`, schema: { type: 'string', enum: locales } }
  const schema = { type: format.ending === 'json' ? 'object' : 'string' }
  return {
    method: 'GET',
    path: `/feeds/${collection.key}.${format.ending}`,
    summary: `The newest entries of ${collection.key} as ${format.name}.`,
    protection: 'public',
    parameters: locales.length === 0 ? {} : { locale },
    responses: describePublicResponses(`A feed: ${format.name}.`, format.mediaType, schema),
    run: (request) => respondFeed(source, content, request),
  }
}

async function respondFeed(
  { collection: { key, options, templates }, feed, format: { ending, mediaType, write }, home }: CollectionFeed,
  content: CallerContent,
  request: PluginRequest,
): Promise<Response> {
  const { locale } = request.query
  const template = templates.find((candidate) => candidate.locale === locale) ?? (templates[0] as PathTemplate)
  const list = await content.list(key, feedQuery(feed, template))
  const self = `${home}/feeds/${key}.${ending}${locale === undefined ? '' : `?locale=${locale}`}`
  return respondPublicly(request, {
    mediaType,
    maxAge: CONTENT_MAX_AGE,
    tagSource: [options, self, etagOf(list)],
    write: () => write(toFeed(feed, list.items, template, { home, self })),
  })
}

/** The content of a feed, independent of its format. */
interface Feed {
  readonly title: string
  readonly description: string
  /** The author of entries without one. */
  readonly author: string
  /** The URL of the site. */
  readonly home: string
  /** The URL of the feed. */
  readonly self: string
  /** The tag of a language (BCP 47). */
  readonly language: string | undefined
  /** The time of the last change of an entry. */
  readonly updated: Date
  readonly items: readonly FeedItem[]
}

interface FeedItem {
  /** UUID. */
  readonly id: string
  /** The URL of its page. */
  readonly url: string
  readonly title: string
  /** Plain text. */
  readonly summary: string | undefined
  /** HTML. */
  readonly content: string | undefined
  readonly authors: readonly string[]
  readonly published: Date
  readonly updated: Date
}

/** The list of entries in a feed. */
export function feedQuery({ fields = {}, limit = 20 }: FeedOptions, template: PathTemplate): ListOptions {
  const { title = 'title', summary, content, date = 'createdAt', author } = fields
  const selected = [...template.fields, title, summary, content, date, author, 'createdAt', 'updatedAt']
  const relation = author?.split('.').slice(0, -1).join('.')
  return {
    limit,
    sort: `-${date}`,
    select: [...new Set(selected.filter((field) => field !== undefined))],
    include: relation ? [relation] : [],
    ...localeQuery(template),
  }
}

function toFeed(
  { title, description = title, author = title, fields = {} }: FeedOptions,
  entries: readonly HookData[],
  template: PathTemplate,
  urls: Pick<Feed, 'home' | 'self'>,
): Feed {
  const dates = entries.map(({ updatedAt }) => Date.parse(String(updatedAt)))
  const items = entries.flatMap((entry) => {
    const path = template.pathFor(entry)
    return path === undefined ? [] : [toItem(entry, `${urls.home}${path}`, fields)]
  })
  return {
    title,
    description,
    author,
    language: template.locale,
    ...urls,
    updated: new Date(Math.max(0, ...dates)),
    items,
  }
}

function toItem(entry: HookData, url: string, fields: NonNullable<FeedOptions['fields']>): FeedItem {
  const { title = 'title', summary, content, date = 'createdAt', author } = fields
  const value = (field: string | undefined): string | undefined =>
    field === undefined ? undefined : textsAt(entry, field.split('.'))[0]
  return {
    id: String(entry.id),
    url,
    title: value(title) ?? url,
    summary: value(summary),
    content: value(content),
    authors: author === undefined ? [] : textsAt(entry, author.split('.')),
    published: parseDate(value(date)) ?? new Date(String(entry.createdAt)),
    updated: new Date(String(entry.updatedAt)),
  }
}

/** Returns the texts at a path; there may be several if a list is on the way. */
function textsAt(value: unknown, path: readonly string[]): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => textsAt(item, path))
  const [key, ...rest] = path
  if (key === undefined) return typeof value === 'string' && value !== '' ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return textsAt((value as Readonly<Record<string, unknown>>)[key], rest)
}

function parseDate(text: string | undefined): Date | undefined {
  const date = new Date(text ?? '')
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** A format in which a feed can be requested. */
interface FeedFormat {
  /** The end of the feed's URL, such as `rss`. */
  readonly ending: string
  readonly mediaType: string
  readonly name: string
  write(feed: Feed): string
}

const toUrn = ({ id }: FeedItem): string => `urn:uuid:${id}`

/** Writes RSS 2.0, with `content:encoded` for HTML and `dc:creator` for names. */
function writeRss({ title, home, self, description, language, updated, items }: Feed): string {
  const channel = [
    textElement('title', title),
    textElement('link', `${home}/`),
    `<atom:link href="${escapeXml(self)}" rel="self" type="application/rss+xml"/>`,
    textElement('description', description),
    textElement('language', language),
    textElement('lastBuildDate', updated.toUTCString()),
    ...items.map(writeRssItem),
  ]
  const namespaces = [
    'xmlns:atom="http://www.w3.org/2005/Atom"',
    'xmlns:content="http://purl.org/rss/1.0/modules/content/"',
    'xmlns:dc="http://purl.org/dc/elements/1.1/"',
  ]
  return `${XML_DECLARATION}<rss version="2.0" ${namespaces.join(' ')}>\n<channel>${channel.join('\n')}</channel>\n</rss>\n`
}

function writeRssItem(item: FeedItem): string {
  const parts = [
    textElement('title', item.title),
    textElement('link', item.url),
    `<guid isPermaLink="false">${toUrn(item)}</guid>`,
    textElement('pubDate', item.published.toUTCString()),
    ...item.authors.map((name) => textElement('dc:creator', name)),
    textElement('description', item.summary),
    textElement('content:encoded', item.content),
  ]
  return `<item>${parts.join('')}</item>`
}

/** Writes Atom (RFC 4287). */
function writeAtom({ title, description, author, home, self, language, updated, items }: Feed): string {
  const parts = [
    textElement('id', self),
    textElement('title', title),
    textElement('subtitle', description),
    `<link rel="self" type="application/atom+xml" href="${escapeXml(self)}"/>`,
    `<link rel="alternate" href="${escapeXml(home)}/"/>`,
    textElement('updated', updated.toISOString()),
    `<author>${textElement('name', author)}</author>`,
    ...items.map(writeAtomEntry),
  ]
  const xmlLang = language === undefined ? '' : ` xml:lang="${escapeXml(language)}"`
  return `${XML_DECLARATION}<feed xmlns="http://www.w3.org/2005/Atom"${xmlLang}>\n${parts.join('\n')}</feed>\n`
}

function writeAtomEntry(item: FeedItem): string {
  const parts = [
    textElement('id', toUrn(item)),
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

/** Writes JSON Feed 1.1. */
function writeJson({ title, description, author, home, self, language, items }: Feed): string {
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: `${home}/`,
    feed_url: self,
    description,
    language,
    authors: [{ name: author }],
    items: items.map(toJsonItem),
  })
}

/** An item must have HTML or text, so one without content has its summary as text. */
const toJsonItem = (item: FeedItem) => ({
  id: toUrn(item),
  url: item.url,
  title: item.title,
  ...(item.content === undefined ? { content_text: item.summary ?? '' } : { content_html: item.content }),
  summary: item.summary,
  date_published: item.published.toISOString(),
  date_modified: item.updated.toISOString(),
  ...(item.authors.length > 0 ? { authors: item.authors.map((name) => ({ name })) } : {}),
})

const FEED_FORMATS: readonly FeedFormat[] = [
  { ending: 'rss', mediaType: 'application/rss+xml', name: 'RSS 2.0', write: writeRss },
  { ending: 'atom', mediaType: 'application/atom+xml', name: 'Atom (RFC 4287)', write: writeAtom },
  { ending: 'json', mediaType: 'application/feed+json', name: 'JSON Feed 1.1', write: writeJson },
]
