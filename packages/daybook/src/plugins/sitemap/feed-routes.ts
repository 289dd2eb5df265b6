import { etagOf, type PluginRequest, type PluginRoute } from '../../index.ts'
import type { PathTemplate } from '../entry-path.ts'
import type { Lists } from '../lists.ts'
import { answerPublic, publicAnswers } from '../public-answer.ts'
import { feedQuery, toFeed } from './feed.ts'
import { FEED_FORMATS, type FeedFormat } from './feed-formats.ts'
import { type ListedCollection, listedCollections } from './listed-collection.ts'
import type { FeedOptions, SitemapOptions } from './options.ts'
import { baseOf, CONTENT_MAX_AGE } from './sitemap-route.ts'

/** The feeds of one collection, in all formats. */
interface CollectionFeed {
  readonly collection: ListedCollection
  readonly feed: FeedOptions
  readonly home: string
  readonly lists: Lists
}

/** Answers `/feeds/posts.rss` and the like, for each collection with a feed. */
export function feedRoutes(options: SitemapOptions, lists: Lists): readonly PluginRoute[] {
  return listedCollections(options).flatMap((collection) => {
    const { feed } = collection.options
    if (!feed) return []
    const source = { collection, feed, home: baseOf(options), lists }
    return FEED_FORMATS.map((format) => feedRoute(source, format))
  })
}

function feedRoute(source: CollectionFeed, format: FeedFormat): PluginRoute {
  const { key, templates } = source.collection
  const locales = templates.flatMap(({ locale }) => (locale === undefined ? [] : [locale]))
  return {
    method: 'GET',
    path: `/feeds/${key}.${format.ending}`,
    summary: `The newest entries of ${key} as ${format.name}.`,
    protection: 'public',
    parameters:
      locales.length === 0
        ? {}
        : { locale: { description: `By default ${locales[0]}.`, schema: { type: 'string', enum: locales } } },
    answers: publicAnswers(
      `A feed: ${format.name}.`,
      format.mediaType,
      format.ending === 'json' ? { type: 'object' } : { type: 'string' },
    ),
    run: (request) => answerFeed(source, format, request),
  }
}

async function answerFeed(
  { collection: { key, options, templates }, feed, home, lists }: CollectionFeed,
  { ending, mediaType, write }: FeedFormat,
  request: Pick<PluginRequest, 'query' | 'isCurrent'>,
): Promise<Response> {
  const { locale } = request.query
  const template = templates.find((one) => one.locale === locale) ?? (templates[0] as PathTemplate)
  const list = await lists.list(key, feedQuery(feed, template))
  const self = `${home}/feeds/${key}.${ending}${locale === undefined ? '' : `?locale=${locale}`}`
  return answerPublic(request, {
    mediaType,
    maxAge: CONTENT_MAX_AGE,
    madeOf: [options, self, etagOf(list)],
    write: () => write(toFeed(feed, list, template, { home, self })),
  })
}
