import { ConfigError, type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import { type RobotsOptions, robots } from 'daybook/plugins'
import { createTestService } from 'daybook/testing'
import { describe, expect, test } from 'vitest'

const collections = { notes: defineCollection({ fields: { text: f.text() } }) }

async function robotsOf(config: DaybookConfig): Promise<string> {
  await using service = await createTestService(config)
  return (await service.request('/robots.txt')).text()
}

const textOf = (options?: RobotsOptions): Promise<string> =>
  robotsOf(defineConfig({ collections, plugins: [robots(options)] }))

// The plugin reads no content, so the store does not matter.
describe('robots()', () => {
  test('allows every crawler by default', async () => {
    expect(await textOf()).toBe('User-agent: *\nDisallow:\n')
    expect(await textOf({ rules: [{ userAgent: 'GoodBot' }] })).toBe('User-agent: GoodBot\nDisallow:\n')
  })

  test('writes a group for each rule, and sitemaps at the end', async () => {
    const rules = [
      { disallow: ['/drafts', '/*.pdf$'], allow: ['/drafts/shown'] },
      { userAgent: ['GPTBot', 'CCBot'], disallow: ['/'] },
    ]
    expect(await textOf({ rules, sitemaps: ['https://www.example.org/news.xml'] })).toBe(
      [
        'User-agent: *\nAllow: /drafts/shown\nDisallow: /drafts\nDisallow: /*.pdf$\n',
        'User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n',
        'Sitemap: https://www.example.org/news.xml\n',
      ].join('\n'),
    )
  })

  test('percent-encodes characters outside ASCII (RFC 9309, section 2.2.2)', async () => {
    expect(await textOf({ rules: [{ disallow: ['/日本 /%2f'] }] })).toContain('Disallow: /%E6%97%A5%E6%9C%AC%20/%2f\n')
  })

  test('may be cached, and responds with 304 to a client that has it', async () => {
    await using service = await createTestService(defineConfig({ collections, plugins: [robots()] }))
    const response = await service.request('/robots.txt')
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('public, max-age=3600')
    const tag = response.headers.get('etag') ?? ''
    const again = (tag: string): Promise<Response> =>
      service.request('/robots.txt', { headers: { 'If-None-Match': tag } })
    expect((await again(`"other", W/${tag}`)).status).toBe(304)
    expect((await again('"other"')).status).toBe(200)
  })

  test.each([
    [{ rule: [] }, 'rule', 'is not an option. Use one of: rules, sitemaps.'],
    [{ rules: {} }, 'rules', 'must be a list of rules'],
    [{ rules: ['/'] }, 'rules.0', 'must be an object with: userAgent, allow, disallow'],
    [{ rules: [{ deny: ['/'] }] }, 'rules.0.deny', 'is not an option.'],
    [{ rules: [{ userAgent: 'Bot 2' }] }, 'rules.0.userAgent', 'must be * or names of crawlers'],
    [{ rules: [{ userAgent: [] }] }, 'rules.0.userAgent', 'must be * or names of crawlers'],
    [{ rules: [{ disallow: '/' }] }, 'rules.0.disallow', 'must be a list of paths that begin with /'],
    [{ rules: [{ disallow: ['drafts'] }] }, 'rules.0.disallow', 'must be a list of paths that begin with /'],
    [{ rules: [{ allow: ['/\nSitemap: https://evil.example'] }] }, 'rules.0.allow', 'on one line'],
    [{ rules: [{ allow: ['/#top'] }] }, 'rules.0.allow', 'with %23 for #'],
    [{ rules: [{ allow: ['/\ud800'] }] }, 'rules.0.allow', 'must be a list of paths'],
    [{ sitemaps: ['/sitemap.xml'] }, 'sitemaps', 'must be a list of URLs'],
    [{ sitemaps: ['https://a.example/\nDisallow: /'] }, 'sitemaps', 'must be a list of URLs'],
  ])('rejects %j', (options, path, message) => {
    const make = () => robots(options as never)
    expect(make).toThrow(ConfigError)
    expect(make).toThrow(`plugins.robots.options.${path} `)
    expect(make).toThrow(message)
  })
})
