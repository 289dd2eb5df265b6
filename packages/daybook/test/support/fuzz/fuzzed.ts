import { defineCollection, defineConfig, defineGlobal, f } from 'daybook'

/** Every field type, relations both ways, values by locale, blocks, globals, and actions of the default accounts. */
export const fuzzed = defineConfig({
  collections: {
    things: defineCollection({
      fields: {
        title: f.text({ required: true, minLength: 1, maxLength: 80, localized: true }),
        slug: f.slug({ from: 'title' }),
        status: f.status(),
        code: f.text({ unique: true, pattern: '^[A-Z]{2}[0-9]+$', search: false }),
        long: f.text({ index: false }),
        body: f.markdown(),
        plain: f.markdown({ html: false, search: false, maxLength: 100 }),
        amount: f.number({ min: -1000, max: 1e9 }),
        count: f.integer({ default: 7 }),
        flag: f.boolean(),
        day: f.date(),
        moment: f.datetime(),
        kind: f.select({ options: ['red', 'green', 'blue'], default: 'red' }),
        kinds: f.select({ options: ['a', 'b', 'c'], many: true }),
        mail: f.email(),
        link: f.url(),
        data: f.json(),
        point: f.json({
          schema: {
            type: 'object',
            properties: { x: { type: 'number' }, y: { type: 'number' } },
            required: ['x', 'y'],
            additionalProperties: false,
          },
        }),
        parent: f.relation('things'),
        friends: f.relation('people', { many: true }),
        seo: f.group({ title: f.text({ maxLength: 20, localized: true }), inner: f.group({ rank: f.integer() }) }),
        words: f.list(f.text({ maxLength: 10 }), { max: 5 }),
        rows: f.list(f.group({ name: f.text({ required: true }), size: f.integer() })),
        parts: f.blocks({
          quote: { text: f.text({ required: true }), by: f.relation('people') },
          prose: { text: f.markdown({ localized: true }) },
        }),
      },
    }),
    people: defineCollection({ maxLimit: 5, fields: { name: f.text({ required: true }), boss: f.relation('people') } }),
  },
  globals: {
    site: defineGlobal({ fields: { name: f.text({ required: true, localized: true }), lead: f.relation('people') } }),
  },
  locales: { default: 'en', available: ['en', 'de'], fallback: { de: ['en'] } },
  limits: { signInsPerMinute: 1_000_000 },
})
