// What a node serves: the database of DATABASE_URL, used as DATABASE_OPTIONS says.
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
