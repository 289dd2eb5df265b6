import { ConfigError, type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'
import { robots, type SitemapOptions, sitemap } from 'daybook/plugins'
import { createTestService } from 'daybook/testing'
import { XmlDocument } from 'libxml2-wasm'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { POLICY_STORES, type StoredService } from '../support/stores/stores.ts'

const NAMESPACES = {
  s: 'http://www.sitemaps.org/schemas/sitemap/0.9',
  x: 'http://www.w3.org/1999/xhtml',
  a: 'http://www.w3.org/2005/Atom',
  c: 'http://purl.org/rss/1.0/modules/content/',
  d: 'http://purl.org/dc/elements/1.1/',
}

/**
 * Returns the texts at an XPath of a document, with the prefixes `s` (sitemap), `x` (XHTML), `a` (Atom), `c` (RSS content), `d` (Dublin Core).
 *
 * @throws {Error} if the document is not well-formed
 */
function textsAt(xml: string, path: string): readonly string[] {
  using document = XmlDocument.fromString(xml)
  return document.find(path, NAMESPACES).map(({ content }) => content)
}

const BASE = 'https://www.example.org'

const collections = {
  posts: defineCollection({
    fields: {
      title: f.text({ required: true }),
      slug: f.slug({ from: 'title' }),
      status: f.status(),
      excerpt: f.text(),
      body: f.markdown(),
      publishedOn: f.date(),
      author: f.relation('authors'),
    },
    maxLimit: 2,
  }),
  authors: defineCollection({ fields: { name: f.text({ required: true }) } }),
  pages: defineCollection({
    fields: {
      title: f.text({ localized: true }),
      slug: f.slug({ from: 'title', localized: true }),
    },
  }),
  secrets: defineCollection({ fields: { slug: f.slug() }, access: { read: ({ identity }) => identity !== null } }),
}

const options: SitemapOptions = {
  baseUrl: `${BASE}/`,
  pages: ['/', '/über?a=1&b=2'],
  collections: {
    posts: {
      path: '/blog/:slug',
      feed: {
        title: 'Posts & more',
        description: 'What is new',
        limit: 2,
        fields: { summary: 'excerpt', content: 'bodyHtml', date: 'publishedOn', author: 'author.name' },
      },
    },
    pages: { path: { en: '/:slug', de: '/de/:slug' }, feed: { title: 'Pages' } },
  },
}

const configOf = (changes: Partial<SitemapOptions> = {}): DaybookConfig =>
  defineConfig({
    collections,
    locales: { default: 'en', available: ['en', 'de'], fallback: { de: ['en'] } },
    plugins: [sitemap({ ...options, ...changes }), robots()],
  })

const config = configOf()
const divided = configOf({ maxUrls: 3 })

/** Texts that would end their element, or are invalid in XML. */
const HOSTILE = ']]><script>alert("1 & 2")</script><!-- \u0001\u001f\ufffe -->'
const HOSTILE_SHOWN = ']]><script>alert("1 & 2")</script><!--  -->'

describe.each(POLICY_STORES)('sitemap() on $name', (store) => {
  let service: StoredService
  const text = async (path: string): Promise<string> => (await service.request(path)).text()
  const create = (collection: string, data: Readonly<Record<string, unknown>>, locale?: string) =>
    service.content.create(collection, data, { ...(locale === undefined ? {} : { locale }) })
  const locations = async (path: string): Promise<readonly string[]> => textsAt(await text(path), '//s:loc')

  describe('within the limit of one file', () => {
    beforeEach(async () => {
      service = await store.open(config)
    })
    afterEach(() => service.close())

    test('lists pages and public entries with the time of their last change', async () => {
      const { updatedAt } = await create('posts', { title: 'One' })
      await create('posts', { title: 'Draft', status: 'draft' })
      await create('posts', { title: '日本' })
      await create('posts', { title: 'Three' })
      const xml = await text('/sitemap.xml')
      expect(textsAt(xml, '//s:loc')).toEqual([
        `${BASE}/`,
        `${BASE}/%C3%BCber?a=1&b=2`,
        `${BASE}/blog/one`,
        `${BASE}/blog/%E6%97%A5%E6%9C%AC`,
        `${BASE}/blog/three`,
      ])
      expect(textsAt(xml, '//s:lastmod')[0]).toBe(updatedAt)
    })

    test('is the same for an editor', async () => {
      await create('posts', { title: 'Draft', status: 'draft' })
      const asEditor = await service.request('/sitemap.xml', { headers: { Authorization: `Bearer ${service.token}` } })
      expect(await asEditor.text()).toBe(await text('/sitemap.xml'))
      expect(await text('/feeds/posts.rss')).not.toContain('Draft')
    })

    test('lists each translation with links to the others', async () => {
      const page = await create('pages', { title: 'About us' })
      await service.content.update('pages', page.id, { title: 'Über uns' }, { locale: 'de' })
      await create('pages', { title: 'English only' })
      const xml = await text('/sitemap.xml')
      const translated = [`${BASE}/about-us`, `${BASE}/de/uber-uns`]
      expect(textsAt(xml, '//s:loc').slice(2)).toEqual([
        `${BASE}/about-us`,
        `${BASE}/english-only`,
        `${BASE}/de/uber-uns`,
      ])
      expect(textsAt(xml, '//x:link/@hreflang')).toEqual(['en', 'de', 'en', 'de'])
      expect(textsAt(xml, '//x:link/@href')).toEqual([...translated, ...translated])
    })

    test('responds with 304 until a public entry changes', async () => {
      await create('posts', { title: 'One' })
      for (const path of ['/sitemap.xml', '/feeds/posts.rss', '/feeds/posts.atom', '/feeds/posts.json']) {
        const response = await service.request(path)
        expect(response.headers.get('cache-control')).toBe('public, max-age=300')
        const again = { headers: { 'If-None-Match': response.headers.get('etag') ?? '' } }
        await create('posts', { title: 'Draft', status: 'draft' })
        expect((await service.request(path, again)).status).toBe(304)
        await create('posts', { title: 'Two' })
        expect((await service.request(path, again)).status).toBe(200)
      }
    })

    test('has no parts', async () => {
      expect((await service.request('/sitemap.xml?part=posts-1')).status).toBe(404)
      expect((await service.request('/sitemap.xml?part=../posts')).status).toBe(400)
    })

    test('robots.txt names the sitemap', async () => {
      expect(await text('/robots.txt')).toBe(`User-agent: *\nDisallow:\n\nSitemap: ${BASE}/sitemap.xml\n`)
    })

    describe('feeds', () => {
      beforeEach(async () => {
        const { id: author } = await create('authors', { name: 'Mia <M>' })
        await create('posts', { title: 'Old', publishedOn: '2024-01-01' })
        await create('posts', { title: 'New', publishedOn: '2026-03-01' })
        const post = { title: HOSTILE, slug: 'x', excerpt: 'Short & good', body: '*One* < two', author }
        await create('posts', { ...post, publishedOn: '2026-02-03' })
      })

      test('RSS 2.0: the newest entries, with any text', async () => {
        const response = await service.request('/feeds/posts.rss')
        expect(response.headers.get('content-type')).toBe('application/rss+xml; charset=utf-8')
        const xml = await response.text()
        expect(textsAt(xml, '/rss/channel/title | /rss/channel/description')).toEqual(['Posts & more', 'What is new'])
        expect(textsAt(xml, '/rss/channel/a:link[@rel="self"]/@href')).toEqual([`${BASE}/feeds/posts.rss`])
        expect(textsAt(xml, '//item/title')).toEqual(['New', HOSTILE_SHOWN])
        expect(textsAt(xml, '//item/link')).toEqual([`${BASE}/blog/new`, `${BASE}/blog/x`])
        expect(textsAt(xml, '//item/pubDate')[1]).toBe('Tue, 03 Feb 2026 00:00:00 GMT')
        expect(textsAt(xml, '//item/description')).toEqual(['Short & good'])
        expect(textsAt(xml, '//item/c:encoded')).toEqual(['<p><em>One</em> &lt; two</p>'])
        expect(textsAt(xml, '//item/d:creator')).toEqual(['Mia <M>'])
        expect(new Set(textsAt(xml, '//item/guid')).size).toBe(2)
      })

      test('Atom (RFC 4287): with all required elements', async () => {
        const response = await service.request('/feeds/posts.atom')
        expect(response.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8')
        const xml = await response.text()
        expect(textsAt(xml, '/a:feed/a:id')).toEqual([`${BASE}/feeds/posts.atom`])
        expect(textsAt(xml, '/a:feed/a:author/a:name')).toEqual(['Posts & more'])
        expect(textsAt(xml, '//a:entry/a:title')).toEqual(['New', HOSTILE_SHOWN])
        expect(textsAt(xml, '//a:entry/a:link/@href')).toEqual([`${BASE}/blog/new`, `${BASE}/blog/x`])
        expect(textsAt(xml, '//a:entry/a:content[@type="html"]')).toEqual(['<p><em>One</em> &lt; two</p>'])
        expect(textsAt(xml, '//a:entry/a:author/a:name')).toEqual(['Mia <M>'])
        const updated = textsAt(xml, '//a:entry/a:updated')
        expect(textsAt(xml, '/a:feed/a:updated')).toEqual([[...updated].sort().at(-1)])
      })

      test('JSON Feed 1.1', async () => {
        const response = await service.request('/feeds/posts.json')
        expect(response.headers.get('content-type')).toBe('application/feed+json; charset=utf-8')
        const feed = await response.json()
        expect(feed).toMatchObject({
          version: 'https://jsonfeed.org/version/1.1',
          title: 'Posts & more',
          home_page_url: `${BASE}/`,
          feed_url: `${BASE}/feeds/posts.json`,
          items: [
            { title: 'New', content_text: '', url: `${BASE}/blog/new`, date_published: '2026-03-01T00:00:00.000Z' },
            { title: HOSTILE, content_html: '<p><em>One</em> &lt; two</p>', authors: [{ name: 'Mia <M>' }] },
          ],
        })
      })

      test('in each locale with pages', async () => {
        const page = await create('pages', { title: 'About us' })
        await service.content.update('pages', page.id, { title: 'Über uns' }, { locale: 'de' })
        expect(textsAt(await text('/feeds/pages.rss?locale=de'), '//item/link')).toEqual([`${BASE}/de/uber-uns`])
        expect(textsAt(await text('/feeds/pages.rss'), '//item/title')).toEqual(['About us'])
        expect((await service.request('/feeds/pages.rss?locale=fr')).status).toBe(400)
        expect((await service.request('/feeds/posts.rss?locale=de')).status).toBe(400)
      })
    })
  })

  describe('above the limit of one file', () => {
    beforeEach(async () => {
      service = await store.open(divided)
    })
    afterEach(() => service.close())

    test('is an index of files that list each address once', async () => {
      for (const title of ['A', 'B', 'C', 'D', 'E', 'F', 'G']) await create('posts', { title })
      for (const title of ['P', 'Q']) await create('pages', { title })
      const parts = ['pages', 'posts-1', 'posts-2', 'posts-3', 'pages-1', 'pages-2']
      expect(await locations('/sitemap.xml')).toEqual(parts.map((part) => `${BASE}/sitemap.xml?part=${part}`))
      const listed = await Promise.all(parts.map((part) => locations(`/sitemap.xml?part=${part}`)))
      expect(listed.map((all) => all.length)).toEqual([2, 3, 3, 1, 2, 0])
      const posts = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((slug) => `${BASE}/blog/${slug}`)
      expect(listed.flat().slice(2)).toEqual([...posts, `${BASE}/p`, `${BASE}/q`])
      expect((await service.request('/sitemap.xml?part=posts-4')).status).toBe(404)
    })

    test('is one file while all addresses fit', async () => {
      await create('posts', { title: 'A' })
      expect(await locations('/sitemap.xml')).toHaveLength(3)
      await create('posts', { title: 'B' })
      expect(await locations('/sitemap.xml')).toEqual([
        `${BASE}/sitemap.xml?part=pages`,
        `${BASE}/sitemap.xml?part=posts-1`,
      ])
    })
  })
})

describe('sitemap() rejects', () => {
  test.each([
    [{ baseUrl: 'www.example.org' }, 'baseUrl', 'must be the URL of the site'],
    [{ baseUrl: 'https://example.org/?a' }, 'baseUrl', 'must be the URL of the site'],
    [{ collections: {} }, 'collections', 'must be an object of collections by key'],
    [{ pages: ['about'] }, 'pages', 'must be a list of paths that begin with /'],
    [{ maxUrls: 50_001 }, 'maxUrls', 'must be a whole number from 1 to 50000'],
    [{ colections: {} }, 'colections', 'is not an option.'],
    [
      { collections: { posts: { path: 'blog/:slug' } } },
      'collections.posts.path',
      'must be a path with keys of fields',
    ],
    [{ collections: { posts: { path: '/blog' } } }, 'collections.posts.path', 'must be a path with keys of fields'],
    [{ collections: { posts: { path: '//evil/:slug' } } }, 'collections.posts.path', 'must be a path'],
    [{ collections: { posts: { path: {} } } }, 'collections.posts.path', 'must be a path'],
    [
      { collections: { posts: { path: '/:slug', feed: { title: '' } } } },
      'collections.posts.feed.title',
      'must be the name of the feed',
    ],
    [
      { collections: { posts: { path: '/:slug', feed: { title: 'A', fields: { title: 'a b' } } } } },
      'collections.posts.feed.fields.title',
      'must be the key of a field',
    ],
    [
      { collections: { posts: { path: '/:slug', feed: { title: 'A', limit: 101 } } } },
      'collections.posts.feed.limit',
      'must be a whole number from 1 to 100',
    ],
  ])('%j', (changes, path, message) => {
    const make = () => sitemap({ ...options, ...changes } as never)
    expect(make).toThrow(ConfigError)
    expect(make).toThrow(`plugins.sitemap.options.${path} ${message}`)
  })

  test.each([
    [{ posted: { path: '/:slug' } }, 'posted.path', 'The collection "posted" does not exist.'],
    [{ secrets: { path: '/:slug' } }, 'secrets.path', 'does not work for callers without a session: '],
    [{ posts: { path: '/:slog' } }, 'posts.path', 'slog'],
    [{ posts: { path: { fr: '/:slug' } } }, 'posts.path.fr', 'locale must be one of: en, de'],
    [{ authors: { path: '/:id', feed: { title: 'Authors' } } }, 'authors.feed', 'title'],
  ])('%j, which readers without a session cannot see', async (options, path, message) => {
    const starting = createTestService(configOf({ collections: options as never }))
    await expect(starting).rejects.toThrow(ConfigError)
    await expect(starting).rejects.toThrow(`plugins.sitemap.options.collections.${path} does not work`)
    await expect(starting).rejects.toThrow(message)
  })
})
