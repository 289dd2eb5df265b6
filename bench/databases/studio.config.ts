import { studio } from '@daybook/studio'
import { defineCollection, defineConfig, f } from 'daybook'

/** What is hard to draw: long forms, and fields with many relations. */
export default defineConfig({
  plugins: [studio()],
  collections: {
    pages: defineCollection({
      fields: {
        title: f.text({ required: true }),
        status: f.status(),
        parts: f.blocks({
          text: { heading: f.text(), body: f.text({ index: false }) },
          quote: { words: f.text({ index: false }), by: f.text() },
        }),
      },
    }),
    books: defineCollection({ fields: { title: f.text({ required: true }) } }),
    shelves: defineCollection({
      fields: { title: f.text({ required: true }), books: f.relation('books', { many: true }) },
    }),
  },
})
