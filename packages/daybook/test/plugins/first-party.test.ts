import { defineCollection, defineConfig, f } from 'daybook'
import { redirects, robots, sitemap } from 'daybook/plugins'
import { pluginConformance } from 'daybook/testing'
import { describe, test } from 'vitest'

const config = defineConfig({
  collections: {
    posts: defineCollection({ fields: { title: f.text({ required: true }), slug: f.slug({ from: 'title' }) } }),
  },
  seed: async (content) => void (await content.create('posts', { title: 'One' })),
})

const posts = { path: '/blog/:slug', feed: { title: 'Blog' } }

describe.each([
  { name: 'redirects', plugin: () => redirects({ collections: { posts: { path: '/blog/:slug' } } }) },
  { name: 'robots', plugin: () => robots() },
  { name: 'sitemap', plugin: () => sitemap({ baseUrl: 'https://www.example.org', collections: { posts } }) },
])('the plugin $name', ({ plugin }) => {
  test.each(pluginConformance({ plugin, config }))('$name', ({ run }) => run())
})
