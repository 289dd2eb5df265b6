import { defineCollection, defineConfig, definePlugin, f } from 'daybook'
import { purgeCdn, redirects, robots, serveUploads, sitemap, webhooks } from 'daybook/plugins'
import { createTestService, pluginConformance } from 'daybook/testing'
import { describe, expect, test } from 'vitest'

const config = defineConfig({
  collections: {
    posts: defineCollection({ fields: { title: f.text({ required: true }), slug: f.slug({ from: 'title' }) } }),
  },
  seed: async (content) => void (await content.create('posts', { title: 'One' })),
})

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const posts = { path: '/blog/:slug', feed: { title: 'Blog' } }

describe.each([
  { name: 'redirects', plugin: () => redirects({ collections: { posts: { path: '/blog/:slug' } } }) },
  { name: 'serve-uploads', plugin: () => serveUploads({ secret: 'a-secret-that-nobody-can-guess-at-all' }) },
  { name: 'robots', plugin: () => robots() },
  {
    name: 'webhooks',
    plugin: () => webhooks({ endpoints: { site: { url: 'https://www.example.org/', secrets: [secret] } } }),
  },
  { name: 'purge-cdn', plugin: () => purgeCdn({ purge: async () => {} }) },
  { name: 'sitemap', plugin: () => sitemap({ baseUrl: 'https://www.example.org', collections: { posts } }) },
])('the plugin $name', ({ plugin }) => {
  test.each(pluginConformance({ plugin, config }))('$name', ({ run }) => run())
})

test('setup receives the plugins named in requires and after, and no others', async () => {
  const seen: unknown[] = []
  const curious = definePlugin({
    name: 'curious',
    version: '1.0.0',
    requires: { daybook: '>=0.0.1', robots: '^1.0.0' },
    after: ['sitemap', 'missing'],
    setup: ({ plugins }) => void seen.push(plugins),
  })
  const options = { baseUrl: 'https://www.example.org', collections: { posts } }
  await using service = await createTestService({
    ...config,
    plugins: [curious, robots(), redirects(), sitemap(options)],
  })
  expect(service.model.plugins).toHaveLength(4)
  expect(seen).toEqual([{ robots: { version: '1.0.0', options: {} }, sitemap: { version: '1.0.0', options } }])
})
