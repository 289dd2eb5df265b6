import { compilePath, type EntryPath, isEntryPath, PATH_ADVICE, type PathTemplate } from '../../entry-path.ts'
import {
  type CallerContent,
  type CollectionConfig,
  type CollectionHooks,
  definePlugin,
  etagOf,
  type HookData,
  type Plugin,
  type PluginRoute,
} from '../../index.ts'
import { checkOptions } from '../check-options.ts'
import { describePublicResponses, respondPublicly } from '../public-response.ts'
import {
  BATCH,
  MAX_ADDRESS,
  REDIRECT_STATUSES,
  type RedirectFields,
  type RedirectStatus,
  redirectCollection,
  redirectPage,
  removeRedirect,
} from './redirect-collection.ts'

export interface RedirectedCollection {
  /** The path of an entry's page, such as `/blog/:slug`; by locale, such as `{ en: '/blog/:slug', de: '/de/blog/:slug' }`. */
  readonly path: EntryPath
}

/** Options of `redirects()`. */
export interface RedirectsOptions {
  /** Collections whose pages leave a redirect behind when their path changes, by key. @default none */
  readonly collections?: Readonly<Record<string, RedirectedCollection>>
  /** The status of redirects that pages leave behind. @default '301' */
  readonly status?: RedirectStatus
}

/**
 * Maintains a collection `redirects` of addresses that have moved, and adds one when the path of a public entry's page changes.
 * `/redirects.json` lists them.
 *
 * @throws {ConfigError} for invalid options
 *
 * @example
 * ```ts
 * defineConfig({ collections, plugins: [redirects({ collections: { posts: { path: '/blog/:slug' } } })] })
 * ```
 */
export function redirects(
  options: RedirectsOptions = {},
): Plugin<{ readonly redirects: CollectionConfig<RedirectFields> }, Record<never, never>, Record<never, never>> {
  checkRedirectsOptions(options)
  const { collections = {}, status = '301' } = options
  const hooks = Object.entries(collections).map(([key, { path }]) => [key, pageHooks(path, status)] as const)
  return definePlugin({
    name: 'redirects',
    version: '1.0.0',
    system: true,
    options,
    collections: { redirects: redirectCollection },
    hooks: { collections: Object.fromEntries(hooks) },
    setup: ({ content, route }) => route(redirectsRoute(content)),
  })
}

function checkRedirectsOptions(options: RedirectsOptions): void {
  checkOptions('redirects', options, ['collections', 'status'], (faults) => {
    const { collections = {}, status = '301' } = options
    const list = REDIRECT_STATUSES.map((code) => `"${code}"`).join(', ')
    faults.require(REDIRECT_STATUSES.includes(status), 'status', `must be one of: ${list}`)
    const advice = "must be an object of collections by key, such as { posts: { path: '/blog/:slug' } }"
    for (const [key, collection] of faults.requireEntries(collections, 'collections', advice)) {
      const path = `collections.${key}`
      if (!faults.hasMembers(collection, path, ['path'])) continue
      faults.require(isEntryPath(collection.path), `${path}.path`, PATH_ADVICE)
    }
  })
}

function pageHooks(path: EntryPath, status: RedirectStatus): CollectionHooks {
  const templates = compilePath(path)
  return {
    beforeChange: async ({ before, after, locale, asSystem }) => {
      const template = templates.find((candidate) => candidate.locale === undefined || candidate.locale === locale)
      const from = publicAddress(template, before)
      const to = publicAddress(template, after)
      if (to === undefined || from === to) return
      const content = asSystem({ reason: 'a page has moved' })
      await (from === undefined ? removeRedirect(content, to) : redirectPage(content, from, to, status))
    },
  }
}

/** Returns the address of an entry's page, or `undefined` if the entry has none that everyone can see. */
function publicAddress(template: PathTemplate | undefined, entry: HookData | null): string | undefined {
  const isPublic = entry && (entry.status === undefined || entry.status === 'published')
  const path = isPublic ? template?.pathFor(entry) : undefined
  return path !== undefined && path.length <= MAX_ADDRESS ? path : undefined
}

const MEDIA_TYPE = 'application/json'
/** The time for which caches may use the list without revalidation, in seconds. */
const MAX_AGE = 60

const SCHEMA = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      from: { type: 'string' },
      to: { type: 'string' },
      status: { type: 'integer', enum: REDIRECT_STATUSES.map(Number) },
    },
    required: ['from', 'to', 'status'],
  },
}

/** The route `/redirects.json`, which sites read when they are built. */
function redirectsRoute(content: CallerContent): PluginRoute {
  return {
    method: 'GET',
    path: '/redirects.json',
    operationId: 'getAllRedirects',
    summary: 'Lists all redirects.',
    protection: 'public',
    responses: describePublicResponses('All redirects, the oldest first.', MEDIA_TYPE, SCHEMA),
    run: async (request) =>
      respondPublicly(request, {
        mediaType: MEDIA_TYPE,
        maxAge: MAX_AGE,
        tagSource: etagOf(await content.list('redirects', { limit: 0 })),
        write: () => writeRedirects(content),
      }),
  }
}

async function* writeRedirects(content: CallerContent): AsyncGenerator<string> {
  const query = { select: ['from', 'to', 'status'], sort: 'createdAt', limit: BATCH }
  let separator = '['
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const list = await content.list('redirects', { ...query, ...(cursor === undefined ? {} : { cursor }) })
    for (const { from, to, status } of list.items as readonly HookData[]) {
      yield separator + JSON.stringify({ from, to, status: Number(status) })
      separator = ',\n'
    }
    cursor = list.nextCursor
  }
  yield separator === '[' ? '[]\n' : ']\n'
}
