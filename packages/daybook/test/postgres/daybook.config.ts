// The config of a node: the database at DATABASE_URL, with the options in DATABASE_OPTIONS.
import { defineConfig } from 'daybook'
import { postgres } from 'daybook/postgres'
import { posts } from './posts.ts'

export default defineConfig({
  ...posts,
  database: postgres(process.env.DATABASE_URL, JSON.parse(process.env.DATABASE_OPTIONS ?? '{}')),
  seed: async (content) => {
    await content.create('posts', { title: 'seeded' })
  },
})
