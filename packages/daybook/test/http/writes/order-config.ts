import { type DaybookConfig, defineCollection, defineConfig, f } from 'daybook'

/** Orderable collections and trees, with and without drafts and locales. */
export const config = defineConfig({
  collections: {
    steps: defineCollection({ orderable: true, fields: { name: f.text(), slug: f.slug({ from: 'name' }) } }),
    pages: defineCollection({
      orderable: true,
      maxLimit: 500,
      fields: { name: f.text({ required: true }), status: f.status(), parent: f.parent() },
    }),
    shelves: defineCollection({ fields: { name: f.text(), steps: f.relation('steps', { many: true }) } }),
    topics: defineCollection({
      fields: {
        name: f.text({ localized: true }),
        parent: f.parent({ onDelete: 'restrict' }),
        below: f.reverse('topics.parent'),
      },
    }),
  },
  locales: { default: 'en', available: ['en', 'de'] },
}) satisfies DaybookConfig
