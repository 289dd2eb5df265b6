// Writes a post to the running service: npm run add -- "A title" "Some *Markdown*."
import { createClient } from '@daybook/client'
import type config from '../daybook.config.ts'

const { DAYBOOK_URL: baseUrl = 'http://127.0.0.1:3000', DAYBOOK_SERVICE_TOKEN: token } = process.env
const client = createClient<typeof config>({ baseUrl, token })

const [title = 'Untitled', body = ''] = process.argv.slice(2)
try {
  const post = await client.collections.posts.create({ title, body })
  console.log(`Written: /api/posts/${post.slug}`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
