import { studio } from '@daybook/studio'
import { defineCollection, defineConfig, f } from 'daybook'
import { betterAuth } from 'daybook/better-auth'
import { serveUploads } from 'daybook/plugins'

const topics = defineCollection({
  singularLabel: 'Topic',
  fields: {
    name: f.text({ required: true, maxLength: 60, unique: true }),
    slug: f.slug({ from: 'name' }),
  },
})

const notes = defineCollection({
  singularLabel: 'Note',
  fields: {
    title: f.text({ required: true, maxLength: 200 }),
    slug: f.slug({ from: 'title' }),
    body: f.markdown(),
    topic: f.relation('topics'),
  },
})

export default defineConfig({
  collections: { notes, topics },
  // Writing takes the token of .env, or an account: npx daybook user create ann@example.org
  auth: betterAuth({ registration: 'closed' }),
  plugins: [studio(), serveUploads()],
})
