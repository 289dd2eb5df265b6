import { defineCollection, defineConfig, f } from 'daybook'

const COLLECTIONS = 100

const keyOf = (index: number): string => `kind${index % COLLECTIONS}`

/** Eleven fields of different types; each collection refers to the next two. */
const collectionAt = (index: number) =>
  defineCollection({
    fields: {
      title: f.text({ required: true }),
      slug: f.slug({ from: 'title' }),
      status: f.status(),
      body: f.markdown(),
      author: f.relation(keyOf(index + 1)),
      tags: f.relation(keyOf(index + 2), { many: true }),
      day: f.date(),
      count: f.integer(),
      flag: f.boolean(),
      kind: f.select({ options: ['a', 'b'] }),
      parts: f.blocks({ quote: { text: f.text({ required: true }) }, prose: { text: f.markdown() } }),
    },
  })

export default defineConfig({
  collections: Object.fromEntries(
    Array.from({ length: COLLECTIONS }, (_, index) => [keyOf(index), collectionAt(index)]),
  ),
})
