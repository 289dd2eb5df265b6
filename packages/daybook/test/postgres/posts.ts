import { defineCollection, defineConfig, f } from 'daybook'

export const posts = defineConfig({
  collections: {
    posts: defineCollection({
      fields: { title: f.text({ required: true }), slug: f.slug({ from: 'title' }), count: f.integer() },
    }),
  },
})
