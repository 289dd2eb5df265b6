import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { defineConfig, f, SYSTEM } from 'daybook'
import { postgres } from 'daybook/postgres'
import { createTestService } from 'daybook/testing'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { PostgresDatabase } from '../../support/postgres/postgres-database.ts'
import { folderOf, start } from '../cli.ts'

const TOKEN = 'a-token-of-the-memory-test-0123456789'
const LIMIT = 16 * 1024 * 1024
/** As much as the sender would send, if the service let it. */
const SENT = 8 * LIMIT

const CONFIG = `import { defineConfig, f } from 'DAYBOOK'
export default defineConfig({ collections: { notes: { fields: { text: f.text() } } }, limits: { bodyBytes: ${LIMIT} } })
`

const POSTGRES = join(import.meta.dirname, '../../../src/store/postgres/index.ts')
/** How often all is exported: some 80 MiB between them. */
const EXPORTS = 40

const before = process.env.DAYBOOK_SERVICE_TOKEN
beforeAll(() => {
  process.env.DAYBOOK_SERVICE_TOKEN = TOKEN
})
afterAll(() => {
  if (before === undefined) delete process.env.DAYBOOK_SERVICE_TOKEN
  else process.env.DAYBOOK_SERVICE_TOKEN = before
})

afterEach(() => vi.unstubAllEnvs())

/** Sends a blank body without saying its length, until it is refused; answers the status. */
async function pour(url: string, length: number): Promise<number | undefined> {
  const headers = {
    Authorization: `Bearer ${TOKEN}`,
    'Content-Type': 'application/json',
    'Transfer-Encoding': 'chunked',
  }
  const sending = request(`${url}/api/notes`, { method: 'POST', headers })
  // The service may hang up on what it will not read.
  sending.on('error', () => {})
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>
  let isAnswered = false
  void answered.then(() => {
    isAnswered = true
  })
  const chunk = Buffer.alloc(64 * 1024, ' ')
  for (let sent = 0; sent < length && !isAnswered; sent += chunk.length) {
    if (!sending.write(chunk)) await Promise.race([once(sending, 'drain'), answered])
  }
  sending.end()
  const [response] = await answered
  sending.destroy()
  return response.statusCode
}

/** The most memory that a process ever had, in bytes (proc(5), VmHWM). */
const peakOf = (pid: number | undefined): number =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

// Linux alone tells how much memory a process ever had.
test.runIf(process.platform === 'linux')(
  'a body over the limit is refused before it fills the memory (B6)',
  async () => {
    await using folder = await folderOf({ 'daybook.config.ts': CONFIG })
    const service = await start(folder.path)
    try {
      // What the first requests load counts for nobody. This one is blank: 400.
      for (let count = 0; count < 5; count++) expect(await pour(service.url, 64 * 1024)).toBe(400)
      const before = peakOf(service.pid)
      expect(await pour(service.url, SENT)).toBe(413)
      // What arrived is held once, and its garbage for a moment.
      expect(peakOf(service.pid) - before).toBeLessThan(3 * LIMIT)
      expect((await fetch(`${service.url}/api/notes?limit=0`)).status).toBe(200)
    } finally {
      await service.stop()
    }
  },
)

const PLACED = `import { defineConfig, f } from 'DAYBOOK'
import { postgres } from '${POSTGRES}'
const collections = { notes: { fields: { text: f.text({ index: false, maxLength: 5000 }) } } }
export default defineConfig({ collections, database: postgres(process.env.DATABASE_URL) })
`

/** Fills the database that the config names, whose process is not the one that is looked at. */
async function fill(url: string, count: number): Promise<void> {
  const collections = { notes: { fields: { text: f.text({ index: false, maxLength: 5000 }) } } }
  const config = defineConfig({ collections, database: postgres(url) })
  await using service = await createTestService(config)
  const text = 'long '.repeat(1000)
  const create = (): Promise<unknown> => service.content.create('notes', { text }, { caller: SYSTEM })
  await Promise.all(Array.from({ length: count }, create))
}

// Linux alone tells how much memory a process ever had.
test.runIf(process.platform === 'linux')(
  'the memory of a service stays flat while it exports all that PostgreSQL holds, again and again',
  async () => {
    await using database = await PostgresDatabase.make()
    await fill(database.url, 400)
    vi.stubEnv('DATABASE_URL', database.url)
    vi.stubEnv('ENABLE_CMS_EXPORT', 'true')
    await using folder = await folderOf({ 'daybook.config.ts': PLACED })
    const service = await start(folder.path)
    try {
      const exportAll = async (): Promise<number> => {
        const answer = await fetch(`${service.url}/api/export`, { headers: { Authorization: `Bearer ${TOKEN}` } })
        return (await answer.text()).length
      }
      // What the first one loads counts for nobody.
      const length = await exportAll()
      expect(length).toBeGreaterThan(400 * 5000)
      const before = peakOf(service.pid)
      for (let count = 0; count < EXPORTS; count++) expect(await exportAll()).toBe(length)
      expect(peakOf(service.pid) - before).toBeLessThan(64 * 1024 * 1024)
    } finally {
      await service.stop()
    }
  },
)
