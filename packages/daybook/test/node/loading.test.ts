import { existsSync, readFileSync } from 'node:fs'
import { defineConfig, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import { expect, it } from 'vitest'
import { folderOf, start } from '../cli/cli.ts'

it('fills a new store without starting a thread, also with texts that others write through one', async () => {
  const text = `| a | b |\n|---|---|\n${'| one | *two* |\n'.repeat(500)}`
  const config = defineConfig({
    collections: { notes: { fields: { text: f.markdown() } } },
    seed: async ({ create }) => void (await create('notes', { text })),
  })
  let threads = 0
  const count = (): void => {
    threads += 1
  }
  process.on('worker', count)
  await using service = await createTestService(config)
  const { items } = (await (await service.request('/api/notes')).json()) as { readonly items: readonly object[] }
  expect(items).toEqual([expect.objectContaining({ textHtml: expect.stringContaining('<td><em>two</em></td>') })])
  expect(threads).toBe(0)
  const headers = { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' }
  const written = await service.request('/api/notes', { method: 'POST', headers, body: JSON.stringify({ text }) })
  expect(written.status).toBe(201)
  expect(threads).toBe(1)
  process.off('worker', count)
})

/** Whether a process has loaded the driver of SQLite, as Linux knows. */
const hasDriver = (pid: number | undefined): boolean =>
  readFileSync(`/proc/${pid}/maps`, 'utf8').includes('better-sqlite3')

// Linux alone tells what a process has loaded.
it.runIf(existsSync('/proc/self/maps'))('watches over workers without loading what serves', async () => {
  const config = `import { defineConfig, f } from 'DAYBOOK'
export default defineConfig({ collections: { notes: { fields: { title: f.text() } } } })`
  await using folder = await folderOf({ 'daybook.config.ts': config })
  const alone = await start(folder.path)
  expect(hasDriver(alone.pid)).toBe(true)
  await alone.stop()
  const watching = await start(folder.path, '--workers', '1')
  expect(hasDriver(watching.pid)).toBe(false)
  await watching.stop()
})
