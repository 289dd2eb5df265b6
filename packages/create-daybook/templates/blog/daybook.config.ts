import { studio } from '@daybook/studio'
import { defineCollection, defineConfig, defineGlobal, f } from 'daybook'
import { betterAuth } from 'daybook/better-auth'
import { serveUploads } from 'daybook/plugins'
import { seed } from './seed.ts'

const authors = defineCollection({
  singularLabel: 'Author',
  description: 'People who write.',
  fields: {
    name: f.text({ required: true, maxLength: 120 }),
    slug: f.slug({ from: 'name' }),
    bio: f.markdown(),
  },
})

const posts = defineCollection({
  singularLabel: 'Post',
  description: 'Articles of the blog.',
  fields: {
    title: f.text({ required: true, maxLength: 200 }),
    slug: f.slug({ from: 'title' }),
    body: f.markdown(),
    status: f.status(),
    author: f.relation('authors'),
    publishedOn: f.date({ default: ({ now }) => now.slice(0, 10) }),
  },
})

const site = defineGlobal({
  description: 'What every page of the site shows.',
  fields: {
    siteName: f.text({ required: true, maxLength: 120 }),
    siteUrl: f.url({ required: true }),
  },
})

export default defineConfig({
  collections: { posts, authors },
  globals: { site },
  // Writing takes the token of .env, or an account: npx daybook user create ann@example.org
  auth: betterAuth({ registration: 'closed' }),
  plugins: [studio(), serveUploads()],
  seed,
})
