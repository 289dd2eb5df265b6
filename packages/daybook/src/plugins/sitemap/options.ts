import { compilePath, type EntryPath, isEntryPath, PATH_ADVICE, type PathTemplate } from '../../entry-path.ts'
import type { ListOptions } from '../../index.ts'
import { checkOptions, isListOf, isWebUrl, type OptionFaults } from '../check-options.ts'

/** The fields of a collection that a feed shows, by their keys. */
export interface FeedFields {
  /** @default 'title' */
  readonly title?: string
  /** Plain text. @default none */
  readonly summary?: string
  /** HTML, such as `bodyHtml` of a Markdown field `body`. @default none */
  readonly content?: string
  /** The date by which the newest entries come first. @default 'createdAt' */
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
  /** The maximum number of entries. @default 20 */
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
  /** The URL of the site, such as `https://www.example.org`; its `/sitemap.xml` and `/feeds/` lead to Daybook. */
  readonly baseUrl: string
  /** By key. */
  readonly collections: Readonly<Record<string, SitemapCollection>>
  /** Paths of pages other than those of entries, such as `/about`. */
  readonly pages?: readonly string[]
  /** The maximum number of URLs in one file. If there are more, `/sitemap.xml` is an index of files. @default 50,000 */
  readonly maxUrls?: number
}

/** The maximum number of URLs in a sitemap, by its protocol. */
export const MAX_URLS = 50_000
const MAX_FEED_LIMIT = 100

/** @throws {ConfigError} with every fault of the options */
export function checkSitemapOptions(options: SitemapOptions): void {
  checkOptions('sitemap', options, ['baseUrl', 'collections', 'pages', 'maxUrls'], (faults) => {
    const { baseUrl, collections, pages = [], maxUrls = MAX_URLS } = options
    const isBase = isWebUrl(baseUrl) && !/[?#]/.test(baseUrl)
    faults.require(isBase, 'baseUrl', 'must be the URL of the site, such as "https://www.example.org"')
    faults.require(
      isListOf(pages, isPage),
      'pages',
      "must be a list of paths that begin with /, such as ['/', '/about']",
    )
    faults.require(isCount(maxUrls, MAX_URLS), 'maxUrls', `must be a whole number from 1 to ${MAX_URLS}`)
    const advice = "must be an object of collections by key, such as { posts: { path: '/blog/:slug' } }"
    const entries = faults.requireEntries(collections || {}, 'collections', advice)
    faults.require(entries.length > 0, 'collections', advice)
    for (const [key, collection] of entries) checkCollection(collection, `collections.${key}`, faults)
  })
}

function checkCollection(collection: unknown, path: string, faults: OptionFaults): void {
  if (!faults.hasMembers(collection, path, ['path', 'feed'])) return
  faults.require(isEntryPath(collection.path), `${path}.path`, PATH_ADVICE)
  if (collection.feed !== undefined) checkFeed(collection.feed, `${path}.feed`, faults)
}

function checkFeed(feed: unknown, path: string, faults: OptionFaults): void {
  if (!faults.hasMembers(feed, path, ['title', 'description', 'author', 'fields', 'limit'])) return
  const { title, fields = {}, limit = 1, ...texts } = feed
  faults.require(typeof title === 'string' && title.trim() !== '', `${path}.title`, 'must be the name of the feed')
  faults.require(isCount(limit, MAX_FEED_LIMIT), `${path}.limit`, `must be a whole number from 1 to ${MAX_FEED_LIMIT}`)
  for (const [name, text] of Object.entries(texts)) {
    faults.require(text === undefined || typeof text === 'string', `${path}.${name}`, 'must be a string')
  }
  if (!faults.hasMembers(fields, `${path}.fields`, ['title', 'summary', 'content', 'date', 'author'])) return
  for (const [name, field] of Object.entries(fields)) {
    faults.require(isFieldPath(field), `${path}.fields.${name}`, 'must be the key of a field, such as "title"')
  }
}

const isPage = (text: string): boolean => /^\/(?!\/)[^\s\p{Cc}]*$/u.test(text) && text.isWellFormed()

/** True for paths such as `title` and `author.name`. */
const isFieldPath = (text: unknown): boolean => typeof text === 'string' && /^[a-z][\w]*(?:\.[a-z][\w]*)*$/i.test(text)

const isCount = (value: unknown, maximum: number): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= maximum

export interface ListedCollection {
  readonly key: string
  readonly options: SitemapCollection
  /** One template for each locale with pages of its own, in the order of the option. */
  readonly templates: readonly PathTemplate[]
}

export const listedCollections = ({ collections }: SitemapOptions): readonly ListedCollection[] =>
  Object.entries(collections).map(([key, options]) => ({ key, options, templates: compilePath(options.path) }))

/** Returns the URL of the site without a slash at the end. */
export const siteUrl = ({ baseUrl }: SitemapOptions): string => new URL(baseUrl).href.replace(/\/+$/, '')

/** The options of a list in the locale of a path, without values of other locales. */
export const localeQuery = ({ locale }: PathTemplate): Pick<ListOptions, 'locale' | 'fallbackLocale'> =>
  locale === undefined ? {} : { locale, fallbackLocale: 'none' }

/** The time for which caches may use a sitemap or a feed without revalidation, in seconds. */
export const CONTENT_MAX_AGE = 300
