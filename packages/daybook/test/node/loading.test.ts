import { existsSync, readFileSync } from 'node:fs'
import { defineConfig, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import { expect, it } from 'vitest'
import { folderOf, start } from '../cli/cli.ts'

it('seeds a new store without starting a thread, even with long Markdown', async () => {
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
  const created = await service.request('/api/notes', { method: 'POST', headers, body: JSON.stringify({ text }) })
  expect(created.status).toBe(201)
  expect(threads).toBe(1)
  process.off('worker', count)
})

/** True if a process has loaded the driver of SQLite, according to Linux. */
const hasDriver = (pid: number | undefined): boolean =>
  readFileSync(`/proc/${pid}/maps`, 'utf8').includes('better-sqlite3')

// Only Linux reports the loaded files of a process.
it.runIf(existsSync('/proc/self/maps'))('supervises workers without loading the database driver', async () => {
  const config = `import { defineConfig, f } from 'DAYBOOK'
export default defineConfig({ collections: { notes: { fields: { title: f.text() } } } })`
  await using folder = await folderOf({ 'daybook.config.ts': config })
  const alone = await start(folder.path)
  expect(hasDriver(alone.pid)).toBe(true)
  await alone.stop()
  const supervisor = await start(folder.path, '--workers', '1')
  expect(hasDriver(supervisor.pid)).toBe(false)
  await supervisor.stop()
})
