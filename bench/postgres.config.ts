import { defineConfig } from 'daybook'
import { postgres } from 'daybook/postgres'
import config from '../examples/blog/daybook.config.ts'

/** The reference example, with its content in PostgreSQL. */
export default defineConfig({ ...config, database: postgres(process.env.DATABASE_URL) })
