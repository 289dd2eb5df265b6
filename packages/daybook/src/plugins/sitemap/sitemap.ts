import {
  type CallerContent,
  ConfigError,
  DaybookError,
  definePlugin,
  etagOf,
  type Plugin,
  type PluginRequest,
  type PluginRoute,
} from '../../index.ts'
import { describePublicResponses, respondPublicly } from '../public-response.ts'
import { feedQuery, feedRoutes } from './feeds.ts'
import {
  CONTENT_MAX_AGE,
  checkSitemapOptions,
  type ListedCollection,
  listedCollections,
  localeQuery,
  MAX_URLS,
  type SitemapOptions,
  siteUrl,
} from './options.ts'
import { type EntryRange, MAX_URL_BYTES, type SitemapContent, writeIndex, writeSitemap } from './sitemap-xml.ts'

/**
 * Lists the public entries of collections at `/sitemap.xml`, and the newest of them in feeds: `/feeds/posts.rss`, `.atom`
 * and `.json`.
 *
 * @throws {ConfigError} for invalid options
 *
 * @example
 * ```ts
 * sitemap({
 *   baseUrl: 'https://www.example.org',
 *   collections: { posts: { path: '/blog/:slug', feed: { title: 'Our blog', fields: { content: 'bodyHtml' } } } },
 * })
 * ```
 */
export function sitemap(
  options: SitemapOptions,
): Plugin<Record<never, never>, Record<never, never>, Record<never, never>> {
  checkSitemapOptions(options)
  return definePlugin({
    name: 'sitemap',
    version: '1.0.0',
    options,
    setup: async ({ content, route }) => {
      for (const collection of listedCollections(options)) await requireReadable(content, collection)
      route(sitemapRoute(options, content))
      for (const feed of feedRoutes(options, content)) route(feed)
    },
  })
}

/** @throws {ConfigError} if callers without a session may not read what the options name */
async function requireReadable(content: CallerContent, { key, options, templates }: ListedCollection): Promise<void> {
  const path = `plugins.sitemap.options.collections.${key}`
  const requireList = (option: string, list: Promise<unknown>): Promise<unknown> =>
    list.catch((error) => {
      if (!(error instanceof DaybookError)) throw error
      const message = `does not work for callers without a session: ${error.message}`
      throw new ConfigError([{ path: `${path}.${option}`, message }])
    })
  for (const template of templates) {
    const { locale, fields } = template
    const option = locale === undefined ? 'path' : `path.${locale}`
    await requireList(option, content.list(key, { limit: 0, select: fields, ...localeQuery(template) }))
    const { feed } = options
    if (feed) await requireList('feed', content.list(key, { ...feedQuery(feed, template), limit: 0 }))
  }
}

const MEDIA_TYPE = 'application/xml'
/** The file of an index that lists pages other than those of entries; the names of other files end with a number. */
const PAGES = 'pages'

/** The largest file that the protocol allows, in bytes. */
const MAX_FILE_BYTES = 50 * 1024 * 1024
/** The maximum size of the elements around a URL, and around that of a translation, in bytes. */
const [URL_MARKUP_BYTES, LINK_MARKUP_BYTES] = [150, 100]

/** The route `/sitemap.xml`. */
function sitemapRoute(options: SitemapOptions, content: CallerContent): PluginRoute {
  const collections = listedCollections(options)
  return {
    method: 'GET',
    path: '/sitemap.xml',
    operationId: 'getSitemap',
    summary: 'Lists the addresses of public entries.',
    description: 'A sitemap, or an index of sitemaps where there are too many addresses for one.',
    protection: 'public',
    parameters: {
      part: {
        description: 'A file of the index, such as `posts-1`.',
        schema: { type: 'string', pattern: '^(?:pages|[a-z][a-zA-Z0-9_]*-[1-9][0-9]{0,6})$' },
      },
    },
    responses: describePublicResponses('A sitemap (sitemaps.org, version 0.9).', MEDIA_TYPE, { type: 'string' }),
    run: (request) => respondSitemap(options, collections, content, request),
  }
}

async function respondSitemap(
  options: SitemapOptions,
  collections: readonly ListedCollection[],
  content: CallerContent,
  request: PluginRequest,
): Promise<Response> {
  const { part } = request.query
  const baseUrl = siteUrl(options)
  const lists = await Promise.all(
    collections.flatMap((collection) =>
      collection.templates.map((template) => countEntries(content, collection, template)),
    ),
  )
  const files = splitLists(lists, options)
  const selected = part === undefined ? wholeSitemap(lists, options) : selectFile(files, options, part)
  return respondPublicly(request, {
    mediaType: MEDIA_TYPE,
    maxAge: CONTENT_MAX_AGE,
    tagSource: [options, part, lists.map(({ tag }) => tag)],
    write: () => (selected ? writeSitemap(content, baseUrl, selected) : writeIndex(indexUrls(files, options))),
  })
}

/** All entries of a collection in one locale, with a tag that changes with them. */
interface CountedEntries extends EntryRange {
  readonly tag: string
}

async function countEntries(
  content: CallerContent,
  collection: ListedCollection,
  template: EntryRange['template'],
): Promise<CountedEntries> {
  const list = await content.list(collection.key, { limit: 0, ...localeQuery(template) })
  return { collection, template, offset: 0, count: list.total, tag: etagOf(list) }
}

interface SitemapFile extends EntryRange {
  /** Such as `posts-1`; numbered for each collection. */
  readonly name: string
}

/** Divides entries into files that keep the limits of the protocol, however long their URLs are. */
function splitLists(lists: readonly EntryRange[], { maxUrls }: SitemapOptions): readonly SitemapFile[] {
  const ranges = lists.flatMap(({ collection, template, count: total }) => {
    const count = getFileCapacity(collection.templates.length, maxUrls)
    const starts = Array.from({ length: Math.ceil(total / count) }, (_file, index) => index * count)
    return starts.map((offset) => ({ collection, template, offset, count }))
  })
  return ranges.map((range, index) => {
    const first = ranges.findIndex(({ collection }) => collection === range.collection)
    return { ...range, name: `${range.collection.key}-${index - first + 1}` }
  })
}

/** Returns the content of a single sitemap, or `undefined` if it does not fit into one file. */
function wholeSitemap(lists: readonly EntryRange[], options: SitemapOptions): SitemapContent | undefined {
  const pages = pageUrls(options)
  const { maxUrls } = options
  const shares = lists.map(({ collection, count }) => count / getFileCapacity(collection.templates.length, maxUrls))
  const total = shares.reduce((sum, share) => sum + share, pages.length / getFileCapacity(1, maxUrls))
  return total <= 1 ? { pages, ranges: lists } : undefined
}

/** @throws NOT_FOUND */
function selectFile(files: readonly SitemapFile[], options: SitemapOptions, part: unknown): SitemapContent {
  if (part === PAGES) return { pages: pageUrls(options), ranges: [] }
  const file = files.find(({ name }) => name === part)
  if (!file) throw new DaybookError('NOT_FOUND')
  return { pages: [], ranges: [file] }
}

function indexUrls(files: readonly SitemapFile[], options: SitemapOptions): readonly string[] {
  const names = [...(pageUrls(options).length > 0 ? [PAGES] : []), ...files.map(({ name }) => name)]
  return names.map((name) => `${siteUrl(options)}/sitemap.xml?part=${name}`)
}

const pageUrls = (options: SitemapOptions): readonly string[] =>
  (options.pages ?? []).map((path) => new URL(`${siteUrl(options)}${path}`).href)

/** Returns the number of pages that fit into a file if each page lists its translations into all locales. */
function getFileCapacity(locales: number, maxUrls = MAX_URLS): number {
  const linkBytes = locales > 1 ? locales * (MAX_URL_BYTES + LINK_MARKUP_BYTES) : 0
  const pageBytes = MAX_URL_BYTES + URL_MARKUP_BYTES + linkBytes
  return Math.max(1, Math.floor(Math.min(maxUrls, MAX_FILE_BYTES / pageBytes)))
}
