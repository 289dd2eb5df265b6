import { defineCollection, defineConfig, f } from 'daybook'
import { slowMachinePostgres } from '../../support/postgres/slow-machine-postgres.ts'

const url = process.env.DATABASE_URL

export const gallery = defineConfig({
  collections: {
    posts: defineCollection({
      fields: {
        title: f.text({ required: true }),
        slug: f.slug({ from: 'title' }),
        body: f.markdown(),
        cover: f.asset(),
      },
    }),
  },
})

/** The same in the database of DATABASE_URL. */
export default url ? { ...gallery, database: slowMachinePostgres(url) } : gallery
