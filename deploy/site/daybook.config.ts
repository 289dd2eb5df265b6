// The example's content on PostgreSQL; the compose file and the Kubernetes manifests start it.
import { defineConfig } from 'daybook'
import { postgres } from 'daybook/postgres'
import blog from '../../examples/blog/daybook.config.ts'

export default defineConfig({ ...blog, database: postgres(process.env.DATABASE_URL) })
