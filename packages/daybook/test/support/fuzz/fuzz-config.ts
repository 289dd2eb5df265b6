import { defineCollection, defineConfig, defineGlobal, f } from 'daybook'
import { kitchen } from '../configs/configs.ts'
import { SLOW_MACHINE_LIMITS } from '../timeouts.ts'

/** A config with every field type, relations in both directions, localized values, blocks, globals, and the default accounts. */
export const fuzzConfig = defineConfig({
  collections: {
    things: defineCollection({
      fields: {
        ...kitchen.collections.things.fields,
        title: f.text({ required: true, minLength: 1, maxLength: 80, localized: true }),
        friends: f.relation('people', { many: true }),
        about: f.relation(['people', 'things']),
        shelf: f.relation(['things', 'people'], { many: true }),
        seo: f.group({ title: f.text({ maxLength: 20, localized: true }), inner: f.group({ rank: f.integer() }) }),
        parts: f.blocks({
          quote: { text: f.text({ required: true }), by: f.relation('people') },
          prose: { text: f.markdown({ localized: true }) },
        }),
      },
    }),
    people: defineCollection({
      maxLimit: 5,
      fields: { name: f.text({ required: true }), boss: f.relation('people'), staff: f.reverse('people.boss') },
    }),
  },
  globals: {
    site: defineGlobal({ fields: { name: f.text({ required: true, localized: true }), lead: f.relation('people') } }),
  },
  locales: { default: 'en', available: ['en', 'de'], fallback: { de: ['en'] } },
  limits: { ...SLOW_MACHINE_LIMITS, signInsPerMinute: 1_000_000 },
})
