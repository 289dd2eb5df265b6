import { defineCollection, defineConfig, f } from 'daybook'

const topics = defineCollection({
  fields: {
    name: f.text({ required: true, maxLength: 60, unique: true }),
    slug: f.slug({ from: 'name' }),
  },
})

const notes = defineCollection({
  fields: {
    title: f.text({ required: true, maxLength: 200 }),
    slug: f.slug({ from: 'title' }),
    body: f.markdown(),
    topic: f.relation('topics'),
  },
})

export default defineConfig({
  collections: { topics, notes },
  // Writing takes the token of .env; nobody makes an account of their own.
  auth: { registration: 'closed' },
})
