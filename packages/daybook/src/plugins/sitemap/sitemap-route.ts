import { DaybookError, type PluginRequest, type PluginRoute } from '../../index.ts'
import type { Lists } from '../lists.ts'
import { answerPublic, publicAnswers } from '../public-answer.ts'
import { type CollectionState, type ListedCollection, listedCollections, stateOf } from './listed-collection.ts'
import { MAX_URLS, type SitemapOptions } from './options.ts'
import { planFiles, type SitemapFile, type SitemapPlan } from './sitemap-files.ts'
import { indexXml, type SitemapContent, sitemapXml } from './sitemap-xml.ts'

/** The part of an index that holds pages which are no entries; parts of collections end with a number. */
const PAGES = 'pages'

/** How long caches may keep what is made of public content without asking again, in seconds. */
export const CONTENT_MAX_AGE = 300
const MEDIA_TYPE = 'application/xml'

/** Answers `/sitemap.xml`. */
export function sitemapRoute(options: SitemapOptions, lists: Lists): PluginRoute {
  const site = new SitemapSite(options, lists)
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
    answers: publicAnswers('A sitemap (sitemaps.org, version 0.9).', MEDIA_TYPE, { type: 'string' }),
    run: (request) => site.answer(request),
  }
}

/** The site that a sitemap describes. */
class SitemapSite {
  readonly #options: SitemapOptions
  readonly #lists: Lists
  readonly #baseUrl: string
  readonly #collections: readonly ListedCollection[]

  constructor(options: SitemapOptions, lists: Lists) {
    this.#options = options
    this.#lists = lists
    this.#baseUrl = baseOf(options)
    this.#collections = listedCollections(options)
  }

  async answer(request: Pick<PluginRequest, 'query' | 'isCurrent'>): Promise<Response> {
    const { part } = request.query
    const states = await Promise.all(
      this.#collections.map(async (one) => [one, await stateOf(this.#lists, one)] as const),
    )
    const { pages = [], maxUrls = MAX_URLS } = this.#options
    const plan = planFiles(states, pages.length, maxUrls)
    const content = part === undefined ? this.#whole(plan, states) : this.#part(plan, part)
    return answerPublic(request, {
      mediaType: MEDIA_TYPE,
      maxAge: CONTENT_MAX_AGE,
      madeOf: [this.#options, part, states.map(([, { tags }]) => tags)],
      write: () => (typeof content === 'string' ? content : sitemapXml(this.#lists, this.#baseUrl, content)),
    })
  }

  #whole(
    { files, isOne }: SitemapPlan,
    states: readonly (readonly [ListedCollection, CollectionState])[],
  ): SitemapContent | string {
    const wholeRuns = states.flatMap(([one, { totals }]) =>
      one.templates.map((template, at) => [one, { template, offset: 0, count: totals[at] ?? 0 }] as const),
    )
    if (isOne) return { pages: this.#pages, runs: wholeRuns }
    const names = [...(this.#pages.length > 0 ? [PAGES] : []), ...files.map(({ name }) => name)]
    return indexXml(names.map((name) => `${this.#baseUrl}/sitemap.xml?part=${name}`))
  }

  /** @throws NOT_FOUND */
  #part({ files }: SitemapPlan, part: unknown): SitemapContent {
    if (part === PAGES) return { pages: this.#pages, runs: [] }
    const file: SitemapFile | undefined = files.find(({ name }) => name === part)
    if (!file) throw new DaybookError('NOT_FOUND')
    return { pages: [], runs: [[file.collection, file]] }
  }

  get #pages(): readonly string[] {
    return (this.#options.pages ?? []).map((path) => new URL(`${this.#baseUrl}${path}`).href)
  }
}

/** The address of the site, without a slash at the end. */
export const baseOf = ({ baseUrl }: Pick<SitemapOptions, 'baseUrl'>): string =>
  new URL(baseUrl).href.replace(/\/+$/, '')
