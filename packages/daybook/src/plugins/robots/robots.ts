import { definePlugin, type Plugin } from '../../index.ts'
import { isWebAddress } from '../option-faults.ts'
import { answerPublic, publicAnswers } from '../public-answer.ts'
import { checkRobotsOptions, type RobotsOptions } from './options.ts'
import { robotsText } from './robots-text.ts'

const MEDIA_TYPE = 'text/plain'
/** In seconds. */
const MAX_AGE = 3600

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
      route({
        method: 'GET',
        path: '/robots.txt',
        operationId: 'getRobotsTxt',
        summary: 'Tells crawlers what they may visit.',
        protection: 'public',
        answers: publicAnswers('A robots.txt (RFC 9309).', MEDIA_TYPE, { type: 'string' }),
        run: (request) =>
          answerPublic(request, { mediaType: MEDIA_TYPE, madeOf: text, maxAge: MAX_AGE, write: () => text }),
      })
    },
  })
}

/** The address of the sitemap, where the plugin `sitemap` is there. */
function sitemapOf(options: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  const baseUrl = options?.baseUrl
  return isWebAddress(baseUrl) ? [`${new URL(baseUrl).href.replace(/\/+$/, '')}/sitemap.xml`] : []
}
