import { definePlugin, type Plugin } from '../../index.ts'
import { isWebAddress } from '../option-faults.ts'
import { tagOf } from '../tag.ts'
import { checkRobotsOptions, type RobotsOptions } from './options.ts'
import { robotsText } from './robots-text.ts'

const CACHE_CONTROL = 'public, max-age=3600'

/**
 * Tells crawlers at `/robots.txt` what they may visit (RFC 9309), and where the sitemap of the plugin `sitemap` is.
 *
 * @throws {ConfigError} for options that no robots.txt can hold
 *
 * @example
 * ```ts
 * defineConfig({ collections, plugins: [robots({ rules: [{ userAgent: 'GPTBot', disallow: ['/'] }] })] })
 * ```
 */
export function robots(
  options: RobotsOptions = {},
): Plugin<Record<never, never>, Record<never, never>, Record<never, never>> {
  checkRobotsOptions(options)
  return definePlugin({
    name: 'robots',
    version: '1.0.0',
    after: ['sitemap'],
    options,
    setup({ plugins, route }) {
      const text = robotsText(options.rules ?? [], [
        ...sitemapOf(plugins.sitemap?.options),
        ...(options.sitemaps ?? []),
      ])
      const tag = tagOf(text)
      const headers = { ETag: tag, 'Cache-Control': CACHE_CONTROL }
      route({
        method: 'GET',
        path: '/robots.txt',
        operationId: 'getRobotsTxt',
        summary: 'Tells crawlers what they may visit.',
        protection: 'public',
        answers: {
          200: {
            description: 'A robots.txt (RFC 9309).',
            mediaType: 'text/plain',
            schema: { type: 'string' },
            headers: { ETag: 'Changes with the config.' },
          },
          304: { description: 'The client has it.', headers: { ETag: 'That of the text.' } },
        },
        run: (request) =>
          request.isCurrent(tag)
            ? new Response(null, { status: 304, headers })
            : new Response(text, { headers: { ...headers, 'Content-Type': 'text/plain; charset=utf-8' } }),
      })
    },
  })
}

/** The address of the sitemap, where the plugin `sitemap` is there. */
function sitemapOf(options: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  const baseUrl = options?.baseUrl
  return isWebAddress(baseUrl) ? [`${baseUrl.replace(/\/+$/, '')}/sitemap.xml`] : []
}
