import { ConfigError, DaybookError, definePlugin, type Plugin } from '../../index.ts'
import type { Lists } from '../lists.ts'
import { feedQuery } from './feed.ts'
import { feedRoutes } from './feed-routes.ts'
import { inLocaleOf, type ListedCollection, listedCollections } from './listed-collection.ts'
import { checkSitemapOptions, type SitemapOptions } from './options.ts'
import { sitemapRoute } from './sitemap-route.ts'

/**
 * Lists the public entries of collections at `/sitemap.xml`, and the newest of them in feeds: `/feeds/posts.rss`, `.atom`
 * and `.json`.
 *
 * @throws {ConfigError} for options that are wrong
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
      for (const collection of listedCollections(options)) await tryLists(content, collection)
      route(sitemapRoute(options, content))
      for (const one of feedRoutes(options, content)) route(one)
    },
  })
}

/** @throws {ConfigError} when a reader without a session cannot be shown what the options name */
async function tryLists(lists: Lists, { key, options, templates }: ListedCollection): Promise<void> {
  const path = `plugins.sitemap.options.collections.${key}`
  for (const template of templates) {
    const { locale } = template
    await tryList(locale === undefined ? `${path}.path` : `${path}.path.${locale}`, () =>
      lists.list(key, { limit: 0, select: template.fields, ...inLocaleOf(template) }),
    )
    const { feed } = options
    if (feed) await tryList(`${path}.feed`, () => lists.list(key, { ...feedQuery(feed, template), limit: 0 }))
  }
}

async function tryList(path: string, list: () => Promise<unknown>): Promise<void> {
  try {
    await list()
  } catch (error) {
    if (!(error instanceof DaybookError)) throw error
    throw new ConfigError([{ path, message: `a reader without a session gets: ${error.message}` }])
  }
}
