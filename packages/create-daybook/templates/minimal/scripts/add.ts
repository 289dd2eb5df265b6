// Writes a note to the running service: npm run add -- "A title" "Some *Markdown*."
import type { EntryCreate } from 'daybook'
import type config from '../daybook.config.ts'

const [title = 'Untitled', body = ''] = process.argv.slice(2)
const note: EntryCreate<typeof config, 'notes'> = { title, body }

const response = await fetch(new URL('/api/notes', process.env.DAYBOOK_URL ?? 'http://127.0.0.1:3000'), {
  method: 'POST',
  headers: { authorization: `Bearer ${process.env.DAYBOOK_SERVICE_TOKEN}`, 'content-type': 'application/json' },
  body: JSON.stringify(note),
})
if (response.ok) {
  console.log(`Written: ${response.headers.get('location')}`)
} else {
  console.error(await response.text())
  process.exitCode = 1
}
