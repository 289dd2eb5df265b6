import type { RobotsRule } from './options.ts'

/**
 * A robots.txt (RFC 9309).
 *
 * @param sitemaps absolute addresses
 */
export function robotsText(rules: readonly RobotsRule[], sitemaps: readonly string[]): string {
  const groups = (rules.length > 0 ? rules : [{}]).map(groupOf)
  const addresses = sitemaps.map((address) => `Sitemap: ${toAscii(address)}`)
  return [...groups, ...(addresses.length > 0 ? [addresses] : [])].map((lines) => `${lines.join('\n')}\n`).join('\n')
}

function groupOf({ userAgent = '*', allow = [], disallow = [] }: RobotsRule): readonly string[] {
  const crawlers = typeof userAgent === 'string' ? [userAgent] : userAgent
  const rules = [
    ...allow.map((path) => `Allow: ${toAscii(path)}`),
    ...disallow.map((path) => `Disallow: ${toAscii(path)}`),
  ]
  // A group without a rule would belong to the next one.
  return [...crawlers.map((name) => `User-agent: ${name}`), ...(rules.length > 0 ? rules : ['Disallow:'])]
}

/** Other characters than ASCII are percent-encoded (section 2.2.2). */
const toAscii = (text: string): string => text.replace(/[^\x21-\x7e]/gu, encodeURIComponent)
