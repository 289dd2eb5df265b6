import { defineCollection, defineConfig, defineGlobal, f, type SeedContent } from 'daybook'
import { slowMachinePostgres } from '../../support/postgres/slow-machine-postgres.ts'
import { plainFields } from '../copy/every-field.ts'

const things = {
  title: f.text({ required: true, localized: true, maxLength: 400 }),
  ...plainFields,
  long: f.text({ index: false, maxLength: 2_000_000, localized: true }),
  mail: f.email(),
  link: f.url(),
  data: f.json({ localized: true }),
  editor: f.relation('people', { localized: true }),
  above: f.parent(),
  next: f.relation('things'),
  previous: f.reverse('things.next'),
  cover: f.asset(),
  shelf: f.relation(['things', 'people'], { many: true }),
  picture: f.asset(),
  seo: f.group({ title: f.text({ localized: true }), text: f.markdown(), rank: f.integer() }),
  words: f.list(f.text(), { localized: true }),
  rows: f.list(f.group({ label: f.text({ localized: true }), size: f.integer() })),
  parts: f.blocks({
    quote: { text: f.text({ localized: true }), by: f.relation('things') },
    prose: { md: f.markdown() },
  }),
}

const rest = {
  collections: {
    people: defineCollection({ fields: { name: f.text({ required: true }), boss: f.relation('people') } }),
    empty: defineCollection({ fields: { name: f.text() } }),
  },
  globals: {
    site: defineGlobal({ fields: { name: f.text({ localized: true }), lead: f.relation('things') } }),
    untouched: defineGlobal({ fields: { text: f.text() } }),
  },
  locales: { default: 'en', available: ['en', 'de', 'fr'], fallback: { de: ['en'] } },
  /** A restore must not run the seed. */
  seed: async ({ create }: SeedContent) => {
    await create('people', { name: 'Seeded' })
  },
} as const

const placed = <C extends object>(config: C): C => {
  const url = process.env.DATABASE_URL
  return url ? { ...config, database: slowMachinePostgres(url) } : config
}

/** Every field type, an order by hand, and content in three locales. */
export const everything = defineConfig({
  ...rest,
  collections: { things: defineCollection({ orderable: true, fields: things }), ...rest.collections },
})

/** The same before it had an order, and before fields were removed, whose values are stored as orphaned since. */
export const before = defineConfig({
  ...rest,
  collections: {
    things: defineCollection({
      fields: {
        ...things,
        gone: f.text({ localized: true }),
        seo: f.group({ title: f.text({ localized: true }), old: f.text() }),
      },
    }),
    ...rest.collections,
  },
})

export default placed(everything)
