// A service with two webhooks and a hook, which writes without end, and rolls some of it back. Run as a process of its own.
//   node delivering-process.ts FOLDER RECEIVER [write]
import { setTimeout as sleep } from 'node:timers/promises'
import { createService, defineCollection, defineConfig, f } from 'daybook'
import { webhooks } from 'daybook/plugins'
import { postgres } from 'daybook/postgres'

const [folder = '', receiver = '', mode = ''] = process.argv.slice(2)
const secrets = [`whsec_${Buffer.alloc(32, 1).toString('base64')}`]
const { DATABASE_URL: url } = process.env

const config = defineConfig({
  ...(url ? { database: postgres(url) } : {}),
  collections: {
    notes: defineCollection({
      fields: { text: f.text({ required: true }) },
      hooks: {
        afterCommit: async ({ seq, after, signal }) => {
          const body = JSON.stringify({ data: { seq, entry: after } })
          const { ok } = await fetch(`${receiver}/hook`, { method: 'POST', body, signal })
          if (!ok) throw new Error('It was not taken.')
        },
      },
    }),
  },
  plugins: [
    webhooks({
      endpoints: {
        first: { url: `${receiver}/first`, secrets, allowPrivate: true },
        second: { url: `${receiver}/second`, secrets, allowPrivate: true, as: 'system' },
      },
      retries: { firstMs: 20, maxMs: 100 },
    }),
  ],
})

const service = await createService(config, { data: folder })
console.log('started')

/** Two creates, of which the second fails: neither is stored. */
async function rollBack(): Promise<void> {
  const operations = [
    { op: 'create', collection: 'notes', data: { text: 'rolled back' } },
    { op: 'create', collection: 'notes', data: {} },
  ]
  await service.content.batch(operations as never).catch(() => {})
}

for (let count = 0; mode === 'write'; count += 1) {
  const { id } = await service.content.create('notes', { text: `${count}` })
  if (count === 1) console.log('writes')
  await service.content.update('notes', id, { text: `${count} again` })
  if (count % 5 === 0) await rollBack()
  // A disk would be slower, too; otherwise what is left takes longer than all that is tested.
  await sleep(10)
}
process.on('SIGTERM', async () => {
  await service.close()
  process.exit()
})
// Nothing else keeps the process: the journal is watched without that.
setInterval(() => {}, 1000)
