import { type DaybookConfig, defineCollection, defineConfig, defineGlobal, f } from 'daybook'
import { serveUploads } from 'daybook/plugins'
import { SLOW_MACHINE_LIMITS } from '../../packages/daybook/test/support/timeouts.ts'
import { studio } from '../../packages/studio/src/index.ts'

export const SITE = 'https://www.museum.example'

export const museum: DaybookConfig = defineConfig({
  limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 1000 },
  locales: { available: ['en', 'de'], default: 'en', fallback: { de: ['en'] } },
  plugins: [
    studio({ title: 'The museum', preview: { stories: `${SITE}/stories/{slug}?preview={token}` } }),
    serveUploads(),
  ],
  collections: {
    stories: defineCollection({
      description: 'What visitors read before they come.',
      fields: {
        title: f.text({ required: true, localized: true }),
        slug: f.slug({ from: 'title' }),
        status: f.status(),
        author: f.relation('authors'),
        cover: f.asset({ accept: ['image/*'] }),
        body: f.markdown({ localized: true }),
        kind: f.select({ options: ['essay', 'report', 'note'] }),
        minutes: f.integer({ min: 1, description: 'How long it takes to read.' }),
        parts: f.blocks({
          quote: { words: f.text({ required: true, index: false }), by: f.text() },
          picture: { file: f.asset({ accept: ['image/*'] }), caption: f.text() },
          visit: { place: f.text(), day: f.date() },
        }),
      },
    }),
    authors: defineCollection({
      description: 'People who write.',
      fields: { name: f.text({ required: true }), bio: f.markdown() },
    }),
    exhibitions: defineCollection({
      description: 'What can be seen, and when.',
      fields: { title: f.text({ required: true }), status: f.status(), opens: f.date(), closes: f.date() },
    }),
  },
  globals: {
    site: defineGlobal({ description: 'What every page shows.', fields: { siteName: f.text({ required: true }) } }),
  },
})
