import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { defineConfig, f } from 'daybook'
import { createTestService } from 'daybook/testing'
import { expect, it } from 'vitest'
import { folderOf, start } from '../cli/cli.ts'

const SERVE = join(import.meta.dirname, '../../src/node/index.ts')

/** Serves a read to a client that is no `fetch`, and names the modules that Node has loaded for it. */
const PROGRAM = `import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { createService, defineConfig, f } from 'DAYBOOK'
import { serve } from '${SERVE}'

const config = defineConfig({ collections: { notes: { fields: { title: f.text(), text: f.markdown() } } } })
const service = await createService(config, { data: './data' })
const { port, stop } = await serve(service, { port: 0 })
const socket = connect(port, '127.0.0.1')
socket.end('GET /api/notes HTTP/1.1\\r\\nHost: here\\r\\nConnection: close\\r\\n\\r\\n')
const answer = await text(socket)
await stop()
process.stdout.write(JSON.stringify({ head: answer.split('\\r\\n')[0], modules: process.moduleLoadList }))
`

it('serves a read without loading what Node has for clients of HTTP', async () => {
  await using folder = await folderOf({ 'program.ts': PROGRAM })
  const { stdout } = await promisify(execFile)(process.execPath, ['program.ts'], { cwd: folder.path })
  const { head, modules } = JSON.parse(stdout) as { readonly head: string; readonly modules: readonly string[] }
  expect(head).toBe('HTTP/1.1 200 OK')
  expect(modules).toContain('NativeModule _http_server')
  expect(modules.filter((name) => name.includes('undici'))).toEqual([])
})

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
