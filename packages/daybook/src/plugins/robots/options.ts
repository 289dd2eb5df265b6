import { isListOf, isWebAddress, OptionFaults } from '../option-faults.ts'

/** Which paths some crawlers may visit. */
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
  /** Absolute addresses of sitemaps, besides that of the plugin `sitemap`. */
  readonly sitemaps?: readonly string[]
}

/** A product token (RFC 9309, section 2.2.1). */
const isCrawler = (text: string): boolean => text === '*' || /^[A-Za-z_-]+$/.test(text)

/** A `#` would begin a comment, and a line end a rule of its own. */
const isPath = (text: string): boolean => /^[/*][^#\p{Cc}\u2028\u2029]*$/u.test(text) && text.isWellFormed()

/** @throws {ConfigError} with every fault of the options */
export function checkRobotsOptions(options: RobotsOptions): void {
  const faults = new OptionFaults('robots')
  if (faults.hasMembers(options, '', ['rules', 'sitemaps'])) {
    const { rules = [], sitemaps = [] } = options
    faults.require(
      isListOf(sitemaps, isWebAddress),
      'sitemaps',
      "write addresses: ['https://www.example.org/sitemap.xml']",
    )
    if (Array.isArray(rules)) for (const [index, rule] of rules.entries()) checkRule(rule, `rules.${index}`, faults)
    else faults.add('rules', "write a list of rules: [{ userAgent: '*', disallow: ['/drafts'] }]")
  }
  faults.throwIfAny()
}

function checkRule(rule: unknown, path: string, faults: OptionFaults): void {
  if (!faults.hasMembers(rule, path, ['userAgent', 'allow', 'disallow'])) return
  const { userAgent = '*', allow = [], disallow = [] } = rule
  const crawlers = typeof userAgent === 'string' ? [userAgent] : userAgent
  faults.require(
    isListOf(crawlers, isCrawler) && crawlers.length > 0,
    `${path}.userAgent`,
    "write * or names of crawlers, of letters, _ and -, such as 'GPTBot'",
  )
  for (const [name, paths] of Object.entries({ allow, disallow })) {
    const instead = 'write paths that begin with /, on one line, with %23 for #'
    faults.require(isListOf(paths, isPath), `${path}.${name}`, instead)
  }
}
