import { studio } from '@daybook/studio'
import { defineConfig, defineGlobal, f } from 'daybook'
import { betterAuth } from 'daybook/better-auth'
import { redirects, robots, serveUploads, sitemap } from 'daybook/plugins'
import { articles } from './model/articles.ts'
import { contributors } from './model/contributors.ts'
import { events } from './model/events.ts'
import { newsletter } from './model/newsletter.ts'
import { isEditor } from './model/rules.ts'
import { sections } from './model/sections.ts'
import { seed } from './seed.ts'

const masthead = defineGlobal({
  description: 'What every page shows.',
  fields: {
    name: f.text({ required: true, maxLength: 80 }),
    motto: f.text({ localized: true, maxLength: 200 }),
    siteUrl: f.url({ required: true }),
  },
  access: { update: isEditor },
})

/** The origin of the site, whose pages the Studio shows as previews. */
const siteUrl = process.env.SITE_URL ?? 'http://127.0.0.1:3001'

const locales = {
  default: 'en',
  available: ['en', 'de', 'fr'],
  fallback: { de: ['en'], fr: ['en'] },
} as const

export default defineConfig({
  collections: { articles, sections, contributors, events },
  globals: { masthead },
  locales,
  auth: betterAuth({ registration: 'invite' }),
  // The site, whose live page listens to events.
  cors: { origins: [siteUrl] },
  routes: [newsletter],
  plugins: [
    studio({ title: 'The Quarterly', preview: { articles: `${siteUrl}/{locale}/articles/{slug}?preview={token}` } }),
    serveUploads(),
    sitemap({
      baseUrl: 'https://magazine.example.org',
      pages: ['/', '/events'],
      collections: {
        articles: {
          path: { en: '/articles/:slug', de: '/de/articles/:slug', fr: '/fr/articles/:slug' },
          feed: { title: 'The Quarterly', fields: { summary: 'intro', date: 'publishedOn', author: 'authors.name' } },
        },
      },
    }),
    redirects({ collections: { sections: { path: '/sections/:slug' } } }),
    robots({ rules: [{ userAgent: 'GPTBot', disallow: ['/'] }] }),
  ],
  seed,
})
