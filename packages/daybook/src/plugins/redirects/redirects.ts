import { type CollectionConfig, definePlugin, type Plugin } from '../../index.ts'
import { checkRedirectsOptions, type RedirectsOptions } from './options.ts'
import { type RedirectFields, redirectCollection } from './redirect-collection.ts'
import { pageHooks, redirectHooks } from './redirect-hooks.ts'
import { redirectsRoute } from './redirects-route.ts'

/**
 * Keeps a collection `redirects` of addresses that have moved, and adds one when the path of a public entry's page changes.
 * `/redirects.json` lists them.
 *
 * @throws {ConfigError} for options that are wrong
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
  const moved = Object.entries(collections).map(([key, one]) => [key, pageHooks(one, status)] as const)
  return definePlugin({
    name: 'redirects',
    version: '1.0.0',
    system: true,
    options,
    collections: { redirects: redirectCollection },
    hooks: { collections: { ...Object.fromEntries(moved), redirects: redirectHooks } },
    setup: ({ content, route }) => route(redirectsRoute(content)),
  })
}
