// A service with two webhooks and a hook, which writes endlessly and rolls some writes back. Runs as a separate process.
//   node delivering-process.ts FOLDER RECEIVER [write]
import { setTimeout as sleep } from 'node:timers/promises'
import { createService, defineCollection, defineConfig, f } from 'daybook'
import { webhooks } from 'daybook/plugins'
import { slowMachinePostgres } from '../support/postgres/slow-machine-postgres.ts'

const [folder = '', receiver = '', mode = ''] = process.argv.slice(2)
const secrets = [`whsec_${Buffer.alloc(32, 1).toString('base64')}`]
const { DATABASE_URL: url } = process.env

const config = defineConfig({
  ...(url ? { database: slowMachinePostgres(url) } : {}),
  collections: {
    notes: defineCollection({
      fields: { text: f.text({ required: true }) },
      hooks: {
        afterCommit: async ({ seq, after, signal }) => {
          const body = JSON.stringify({ data: { seq, entry: after } })
          const { ok } = await fetch(`${receiver}/hook`, { method: 'POST', body, signal })
          if (!ok) throw new Error('The delivery was rejected.')
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

/** Sends a batch of two creates. The second one fails, so neither is stored. */
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
  // Slows writes down; otherwise the remaining deliveries would take longer than the test.
  await sleep(10)
}
process.on('SIGTERM', async () => {
  await service.close()
  process.exit()
})
// Keeps the process alive; watching the journal does not.
setInterval(() => {}, 1000)
