import { type EntryPath, isEntryPath, PATH_ADVICE } from '../entry-path.ts'
import { isListOf, isWebAddress, OptionFaults } from '../option-faults.ts'

/** Fields of a collection that a feed shows, by their keys. */
export interface FeedFields {
  /** @default 'title' */
  readonly title?: string
  /** Plain text. @default none */
  readonly summary?: string
  /** HTML, such as `bodyHtml` of a Markdown field `body`. @default none */
  readonly content?: string
  /** Newest entries come first by it. @default 'createdAt' */
  readonly date?: string
  /** A name, or that of a related entry, such as `author.name`. @default none */
  readonly author?: string
}

/** A feed of a collection's newest entries. */
export interface FeedOptions {
  readonly title: string
  /** @default the title */
  readonly description?: string
  /** The author of entries that name none. @default the title */
  readonly author?: string
  readonly fields?: FeedFields
  /** The most entries in it. @default 20 */
  readonly limit?: number
}

/** A collection whose entries have pages. */
export interface SitemapCollection {
  /** The path of an entry's page, such as `/blog/:slug`; by locale, such as `{ en: '/blog/:slug', de: '/de/blog/:slug' }`. */
  readonly path: EntryPath
  /** @default no feed */
  readonly feed?: FeedOptions
}

/** Options of `sitemap()`. */
export interface SitemapOptions {
  /** Where the site is, such as `https://www.example.org`; its `/sitemap.xml` and `/feeds/` lead to Daybook. */
  readonly baseUrl: string
  /** By key. */
  readonly collections: Readonly<Record<string, SitemapCollection>>
  /** Paths of pages that are no entries, such as `/about`. */
  readonly pages?: readonly string[]
  /** The most addresses in one file; more than that, and `/sitemap.xml` is an index of files. @default 50,000 */
  readonly maxUrls?: number
}

/** The most addresses that a sitemap may hold, by its protocol. */
export const MAX_URLS = 50_000
/** The most entries in a feed. */
const MAX_FEED_LIMIT = 100

const isPage = (text: string): boolean => /^\/(?!\/)[^\s\p{Cc}]*$/u.test(text) && text.isWellFormed()

/** Such as `title`, `author.name`. */
const isFieldPath = (text: unknown): boolean => typeof text === 'string' && /^[a-z][\w]*(?:\.[a-z][\w]*)*$/i.test(text)

const isCount = (value: unknown, most: number): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most

/** @throws {ConfigError} with every fault of the options */
export function checkSitemapOptions(options: SitemapOptions): void {
  const faults = new OptionFaults('sitemap')
  if (faults.hasMembers(options, '', ['baseUrl', 'collections', 'pages', 'maxUrls'])) {
    const { baseUrl, collections, pages = [], maxUrls = MAX_URLS } = options
    const isBase = isWebAddress(baseUrl) && !/[?#]/.test(baseUrl)
    faults.require(isBase, 'baseUrl', "write where the site is, such as 'https://www.example.org'")
    faults.require(isListOf(pages, isPage), 'pages', "write paths that begin with /, such as ['/', '/about']")
    faults.require(isCount(maxUrls, MAX_URLS), 'maxUrls', `write a whole number from 1 to ${MAX_URLS}`)
    const given = typeof collections === 'object' && collections !== null ? Object.entries(collections) : []
    faults.require(given.length > 0, 'collections', "write collections by key: { posts: { path: '/blog/:slug' } }")
    for (const [key, collection] of given) checkCollection(collection, `collections.${key}`, faults)
  }
  faults.throwIfAny()
}

function checkCollection(collection: unknown, path: string, faults: OptionFaults): void {
  if (!faults.hasMembers(collection, path, ['path', 'feed'])) return
  faults.require(isEntryPath(collection.path), `${path}.path`, PATH_ADVICE)
  if (collection.feed !== undefined) checkFeed(collection.feed, `${path}.feed`, faults)
}

function checkFeed(feed: unknown, path: string, faults: OptionFaults): void {
  if (!faults.hasMembers(feed, path, ['title', 'description', 'author', 'fields', 'limit'])) return
  const { title, fields = {}, limit = 1, ...texts } = feed
  faults.require(typeof title === 'string' && title.trim() !== '', `${path}.title`, 'write the name of the feed')
  faults.require(isCount(limit, MAX_FEED_LIMIT), `${path}.limit`, `write a whole number from 1 to ${MAX_FEED_LIMIT}`)
  for (const [name, text] of Object.entries(texts)) {
    faults.require(text === undefined || typeof text === 'string', `${path}.${name}`, 'write a text')
  }
  if (!faults.hasMembers(fields, `${path}.fields`, ['title', 'summary', 'content', 'date', 'author'])) return
  for (const [name, field] of Object.entries(fields)) {
    faults.require(isFieldPath(field), `${path}.fields.${name}`, "write the key of a field, such as 'title'")
  }
}
