import { defineCollection, defineConfig, f } from 'daybook'
import { postgres } from 'daybook/postgres'

/** Twenty values. */
export const KINDS: readonly string[] = Array.from({ length: 20 }, (_, index) => `kind${index}`)

const notes = defineCollection({
  fields: {
    title: f.text(),
    status: f.status(),
    counted: f.select({ options: KINDS, counted: true }),
    plain: f.select({ options: KINDS }),
    price: f.number(),
    day: f.date(),
  },
})

const database = process.env.DATABASE_URL ? { database: postgres(process.env.DATABASE_URL) } : {}

export default defineConfig({ collections: { notes }, ...database })
