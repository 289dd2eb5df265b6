import { definePlugin, type Plugin } from '../index.ts'
import { checkOptions, isListOf, isWebUrl, type OptionFaults } from './check-options.ts'
import { describePublicResponses, respondPublicly } from './public-response.ts'

/** The paths that some crawlers may visit. */
export interface RobotsRule {
  /** Names of crawlers, such as `GPTBot`; `*` stands for all that no other rule names. @default '*' */
  readonly userAgent?: string | readonly string[]
  /** Paths that may be visited; the longest path that matches decides. `*` stands for any text, `$` for the end. */
  readonly allow?: readonly string[]
  /** Paths that may not be visited. */
  readonly disallow?: readonly string[]
}

/** Options of `robots()`. */
export interface RobotsOptions {
  /** @default every crawler may visit every path */
  readonly rules?: readonly RobotsRule[]
  /** Absolute URLs of sitemaps, besides that of the plugin `sitemap`. */
  readonly sitemaps?: readonly string[]
}

const MEDIA_TYPE = 'text/plain'
/** In seconds. */
const MAX_AGE = 3600

/**
 * Serves `/robots.txt` (RFC 9309), which says what crawlers may visit, and where the sitemap of the plugin `sitemap` is.
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
  const { rules = [], sitemaps = [] } = options
  return definePlugin({
    name: 'robots',
    version: '1.0.0',
    after: ['sitemap'],
    options,
    setup({ plugins, route }) {
      const text = writeRobots(rules, [...pluginSitemap(plugins.sitemap?.options), ...sitemaps])
      route({
        method: 'GET',
        path: '/robots.txt',
        operationId: 'getRobotsTxt',
        summary: 'Tells crawlers what they may visit.',
        protection: 'public',
        responses: describePublicResponses('A robots.txt (RFC 9309).', MEDIA_TYPE, { type: 'string' }),
        run: (request) =>
          respondPublicly(request, { mediaType: MEDIA_TYPE, maxAge: MAX_AGE, tagSource: text, write: () => text }),
      })
    },
  })
}

/** The URL of the sitemap, if the config has the plugin `sitemap`. */
function pluginSitemap(options: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  const baseUrl = options?.baseUrl
  return isWebUrl(baseUrl) ? [`${new URL(baseUrl).href.replace(/\/+$/, '')}/sitemap.xml`] : []
}

function writeRobots(rules: readonly RobotsRule[], sitemaps: readonly string[]): string {
  const groups = (rules.length > 0 ? rules : [{}]).map(writeGroup)
  const lines = sitemaps.map((url) => `Sitemap: ${toAscii(url)}\n`)
  return [...groups, ...(lines.length > 0 ? [lines.join('')] : [])].join('\n')
}

function writeGroup({ userAgent = '*', allow = [], disallow = [] }: RobotsRule): string {
  const rules = [
    ...allow.map((path) => `Allow: ${toAscii(path)}`),
    ...disallow.map((path) => `Disallow: ${toAscii(path)}`),
  ]
  // A group without a rule would belong to the next one.
  const lines = [
    ...[userAgent].flat().map((name) => `User-agent: ${name}`),
    ...(rules.length > 0 ? rules : ['Disallow:']),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

/** Percent-encodes all characters but those of ASCII (RFC 9309, section 2.2.2). */
const toAscii = (text: string): string => text.replace(/[^\x21-\x7e]/gu, encodeURIComponent)

function checkRobotsOptions(options: RobotsOptions): void {
  checkOptions('robots', options, ['rules', 'sitemaps'], (faults) => {
    const { rules = [], sitemaps = [] } = options
    faults.require(
      isListOf(sitemaps, isWebUrl),
      'sitemaps',
      "must be a list of URLs, such as ['https://www.example.org/sitemap.xml']",
    )
    if (Array.isArray(rules)) for (const [index, rule] of rules.entries()) checkRule(rule, `rules.${index}`, faults)
    else faults.add('rules', "must be a list of rules, such as [{ userAgent: '*', disallow: ['/drafts'] }]")
  })
}

function checkRule(rule: unknown, path: string, faults: OptionFaults): void {
  if (!faults.hasMembers(rule, path, ['userAgent', 'allow', 'disallow'])) return
  const { userAgent = '*', allow = [], disallow = [] } = rule
  const crawlers = typeof userAgent === 'string' ? [userAgent] : userAgent
  faults.require(
    isListOf(crawlers, isCrawler) && crawlers.length > 0,
    `${path}.userAgent`,
    'must be * or names of crawlers, of letters, _ and -, such as "GPTBot"',
  )
  for (const [name, paths] of Object.entries({ allow, disallow })) {
    const advice = 'must be a list of paths that begin with /, each on one line, with %23 for #'
    faults.require(isListOf(paths, isPath), `${path}.${name}`, advice)
  }
}

/** True for `*` and a product token (RFC 9309, section 2.2.1). */
const isCrawler = (text: string): boolean => text === '*' || /^[A-Za-z_-]+$/.test(text)

/** A `#` would begin a comment, and a line end a rule of its own. */
const isPath = (text: string): boolean => /^[/*][^#\p{Cc}\u2028\u2029]*$/u.test(text) && text.isWellFormed()
