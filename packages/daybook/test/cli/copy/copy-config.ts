import { defineCollection, defineConfig, defineGlobal, f } from 'daybook'
import { plainFields } from './every-field.ts'

const things = {
  title: f.text({ required: true, localized: true }),
  ...plainFields,
  data: f.json(),
  seo: f.group({ title: f.text({ localized: true }), rank: f.integer() }),
  parts: f.blocks({ quote: { text: f.text({ localized: true }), by: f.relation('things') } }),
}

const aVeryLongKey = 'aCollectionWhoseNamesAreLongerThanPostgresKeeps'

const rest = {
  collections: {
    // Without a slug and a status.
    plainNotes: defineCollection({
      fields: { text: f.text({ required: true }), about: f.relation('things', { many: true }) },
    }),
    [aVeryLongKey]: defineCollection({
      fields: { name: f.text({ required: true, unique: true }), slug: f.slug({ from: 'name' }) },
    }),
    empty: defineCollection({ fields: { name: f.text() } }),
  },
  globals: {
    site: defineGlobal({ fields: { name: f.text({ localized: true }), lead: f.relation('things') } }),
    untouched: defineGlobal({ fields: { text: f.text() } }),
  },
  locales: { default: 'en', available: ['en', 'de', 'fr'], fallback: { de: ['en'] } },
} as const

/** A field of every kind that is stored differently, and content in three locales. */
const everything = defineConfig({
  ...rest,
  collections: { things: defineCollection({ fields: things }), ...rest.collections },
})

/** The same before a field was removed, whose values are stored as orphaned since. */
export const before = defineConfig({
  ...rest,
  collections: { things: defineCollection({ fields: { ...things, gone: f.text() } }), ...rest.collections },
})

export { aVeryLongKey }
export default everything
