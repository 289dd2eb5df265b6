import { type DaybookConfig, defineCollection, defineConfig, defineGlobal, f, type LocalesConfig } from 'daybook'

/** German falls back to English, Swiss German to German and then English, French to nothing. */
export const LOCALES = {
  default: 'en',
  available: ['en', 'de', 'de-ch', 'fr'],
  fallback: { de: ['en'], 'de-ch': ['de', 'en'] },
} as const satisfies LocalesConfig

const people = defineCollection({
  fields: { name: f.text({ required: true }), slug: f.slug({ from: 'name' }), role: f.text({ localized: true }) },
})

const pages = defineCollection({
  fields: {
    title: f.text({ required: true, localized: true }),
    slug: f.slug({ from: 'title', localized: true }),
    body: f.markdown({ localized: true }),
    status: f.status(),
    rank: f.integer(),
    author: f.relation('people'),
    seo: f.group({ title: f.text({ localized: true }), noindex: f.boolean() }),
    parts: f.blocks({
      prose: { text: f.markdown({ localized: true }), wide: f.boolean() },
      quote: { words: f.text({ localized: true }), by: f.text() },
    }),
    links: f.list(f.group({ label: f.text({ localized: true }), url: f.url() })),
    keywords: f.list(f.text(), { localized: true }),
    editor: f.relation('people', { localized: true }),
  },
})

const site = defineGlobal({
  fields: { name: f.text({ localized: true }), founded: f.integer(), lead: f.relation('people') },
})

/** Content in four languages, at every depth. */
export const multilingual: DaybookConfig = defineConfig({
  collections: { pages, people },
  globals: { site },
  locales: LOCALES,
})
