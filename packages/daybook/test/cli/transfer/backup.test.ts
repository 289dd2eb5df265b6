import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createService } from 'daybook'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { DAYBOOK } from '../../support/built/command.ts'
import { PostgresDatabase } from '../../support/postgres/postgres-database.ts'
import { slowMachinePostgres } from '../../support/postgres/slow-machine-postgres.ts'
import { RecordingLog } from '../../support/recording-log.ts'
import { withoutHeader } from '../../support/stores/export.ts'
import { eventually } from '../../support/timeouts.ts'
import { type Asset, type Upload, upload } from '../../support/uploads.ts'
import { daybook, type Ended, folderOf, start } from '../cli.ts'
import { gallery } from './files-config.ts'

const CONFIG = join(import.meta.dirname, 'files-config.ts')
const TOKEN = 'a-token-of-the-tests-of-backups-0123456789'
const AS_PROGRAM = { Authorization: `Bearer ${TOKEN}` }

let folder: Awaited<ReturnType<typeof folderOf>>

beforeEach(async () => {
  folder = await folderOf({})
  vi.stubEnv('DAYBOOK_SERVICE_TOKEN', TOKEN)
  return () => folder[Symbol.asyncDispose]()
})
afterEach(() => vi.unstubAllEnvs())

const at = (...names: readonly string[]): string => join(folder.path, ...names)
const onStore = (data: string): readonly string[] => ['--config', CONFIG, '--data', data]
const run = (data: string, ...args: readonly string[]): Promise<Ended> =>
  daybook(folder.path, ...args, ...onStore(data))

async function filesIn(...names: readonly string[]): Promise<readonly string[]> {
  const entries = await readdir(at(...names), { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return files.map((path) => path.slice(at(...names).length + 1)).sort()
}

async function requireSameFiles(a: string, b: string): Promise<void> {
  // A backup does not contain deleted files.
  const names = (await filesIn(a)).filter((name) => !name.startsWith('.deleted'))
  expect(await filesIn(b)).toEqual(names)
  for (const name of names) expect((await readFile(at(a, name))).equals(await readFile(at(b, name)))).toBe(true)
}

async function exportOf(data: string): Promise<string> {
  expect(await run(data, 'export', `${data}.ndjson`)).toMatchObject({ status: 0 })
  return withoutHeader(await readFile(at(`${data}.ndjson`), 'utf8'))
}

async function fill(data: string, database?: PostgresDatabase, uploads: readonly Upload[] = FILES): Promise<Asset[]> {
  const config = database ? { ...gallery, database: slowMachinePostgres(database.url) } : gallery
  const service = await createService(config, { data: at(data), serviceToken: TOKEN })
  const request = (path: string, init?: RequestInit) => service.fetch(new Request(`http://localhost${path}`, init))
  const assets: Asset[] = []
  for (const file of uploads) assets.push(await upload({ request, token: TOKEN }, file))
  await service.close()
  return assets
}

const FILES: readonly Upload[] = [
  { content: 'a cat', texts: { filename: 'cat.txt', directory: 'pets' } },
  { content: 'a dog', texts: { filename: 'dog.txt' } },
]

/** Uploads files, writes posts, and deletes every second file of a service; the returned function stops that. */
function writeTo(url: string): () => Promise<void> {
  let isStopped = false
  const request = (path: string, init?: RequestInit) => fetch(`${url}${path}`, init)
  const running = (async () => {
    for (let count = 0; !isStopped; count += 1) {
      const asset = await upload({ request, token: TOKEN }, { content: `${count} `.repeat(50_000) })
      const body = JSON.stringify({ title: `Post ${count}`, cover: count % 2 ? asset.id : null })
      const headers = { ...AS_PROGRAM, 'Content-Type': 'application/json' }
      const posted = await request('/api/posts', { method: 'POST', headers, body })
      expect(posted.status).toBe(201)
      if (count % 2 === 0) await request(`/api/assets/${asset.id}`, { method: 'DELETE', headers: AS_PROGRAM })
    }
  })()
  return async () => {
    isStopped = true
    await running
  }
}

describe('a backup', () => {
  test('is complete while a service writes, continues after a kill, and restores the same content and files', async () => {
    const service = await start(folder.path, ...onStore('source'))
    const stopWriting = writeTo(service.url)
    onTestFinished(async () => {
      await stopWriting().catch(() => {})
      await service.stop()
    })
    await eventually(async () => expect((await filesIn('source', 'uploads')).length).toBeGreaterThan(10))

    const killed = spawn(process.execPath, [...DAYBOOK, 'backup', 'saved', ...onStore('source')], { cwd: folder.path })
    const ended = once(killed, 'exit')
    await eventually(async () => expect((await filesIn('saved')).length).toBeGreaterThan(0))
    killed.kill('SIGKILL')
    await ended

    expect(await run('source', 'backup', 'saved')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('as of'),
    })
    expect((await filesIn('saved')).filter((name) => name.endsWith('.part'))).toEqual([])
    expect(await run('during', 'restore', 'saved')).toMatchObject({ status: 0 })
    expect(await exportOf('during')).toContain('"Post 0"')

    await stopWriting()
    expect(await run('source', 'backup', 'saved')).toMatchObject({ status: 0 })
    expect(await run('after', 'restore', 'saved')).toMatchObject({ status: 0 })
    expect(await exportOf('after')).toBe(await exportOf('source'))
    await requireSameFiles('source/uploads', 'after/uploads')
    // The database of the earlier backup was removed.
    expect((await filesIn('saved')).filter((name) => name.endsWith('.db'))).toHaveLength(1)
  })

  test('can be read by its owner only, and replaces an altered file', async () => {
    const [cat] = await fill('source')
    await run('source', 'backup', 'saved')
    const path = at('saved', 'files', String(cat?.sha256).slice(0, 2), String(cat?.sha256))
    for (const name of await filesIn('saved')) expect((await stat(at('saved', name))).mode & 0o077).toBe(0)
    await writeFile(path, 'a cow')
    const again = await run('source', 'backup', 'saved')
    expect(again.stdout).toContain('2 files (1 new)')
    expect(await readFile(path, 'utf8')).toBe('a cat')
  })

  test('names a missing file, and saves the rest', async () => {
    await fill('source')
    await rm(at('source/uploads/dog.txt'))
    expect(await run('source', 'backup', 'saved')).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('1 files'),
      stderr: expect.stringContaining('dog.txt: The file is missing in the file store.'),
    })
    expect(await run('target', 'restore', 'saved')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('--allow-missing'),
    })
    expect(await filesIn('target')).not.toContain('daybook.db')
    expect(await run('target', 'restore', 'saved', '--allow-missing')).toMatchObject({ status: 0 })
    expect(await exportOf('target')).toBe(await exportOf('source'))
  })
})

describe('a restore', () => {
  test.each([
    [
      'a database that was altered',
      (name: string) => name.endsWith('.db'),
      'its digest differs from that in backup.json',
    ],
    ['a file that was altered', (name: string) => name.startsWith('files/'), 'differs from the one that was uploaded'],
    ['no manifest', (name: string) => name === 'backup.json', 'is damaged'],
  ])(
    'of a backup with %s stores no database, and continues once the backup is repaired',
    async (_, isDamaged, message) => {
      await fill('source')
      await run('source', 'backup', 'saved')
      const damagedFile = (await filesIn('saved')).find(isDamaged) ?? ''
      const originalBytes = await readFile(at('saved', damagedFile))
      await appendFile(at('saved', damagedFile), 'x')
      const rejected = await run('target', 'restore', 'saved')
      expect(rejected).toMatchObject({ status: 1, stderr: expect.stringContaining(message) })
      expect(await filesIn('target')).not.toContain('daybook.db')
      await writeFile(at('saved', damagedFile), originalBytes)
      expect(await run('target', 'restore', 'saved')).toMatchObject({ status: 0 })
      await requireSameFiles('source/uploads', 'target/uploads')
    },
  )

  test('does not change a folder with a database', async () => {
    await fill('source')
    await run('source', 'backup', 'saved')
    const before = await exportOf('source')
    const rejected = await run('source', 'restore', 'saved')
    expect(rejected).toMatchObject({ status: 1, stderr: expect.stringContaining('Restore into an empty folder') })
    expect(await exportOf('source')).toBe(before)
  })

  test('does not change the folder of a running service, even if its database was moved away', async () => {
    await fill('source')
    await run('source', 'backup', 'saved')
    const service = await start(folder.path, ...onStore('source'))
    for (const suffix of ['', '-wal', '-shm']) await rename(at(`source/daybook.db${suffix}`), at(`moved.db${suffix}`))
    expect(await run('source', 'restore', 'saved')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(`/${service.pid}\\. Stop them first, or name another folder with --data\\.`),
    })
    expect(await filesIn('source')).not.toContain('daybook.db')
    await service.stop()
    expect(await run('source', 'restore', 'saved')).toMatchObject({ status: 0 })
  })
})

describe.each(['sqlite', 'postgres'])('a service on %s whose files are missing', (kind) => {
  test('reports them in its log and on /api/ready until they are restored', async () => {
    await using database = kind === 'postgres' ? await PostgresDatabase.make() : undefined
    vi.stubEnv('DATABASE_URL', database?.url ?? '')
    await fill('source', database)
    if (database) {
      const rejected = await run('source', 'backup', 'saved')
      expect(rejected).toMatchObject({ status: 1, stderr: expect.stringContaining('pg_dump') })
    }
    expect(await run('source', 'backup', 'saved', '--files-only')).toMatchObject({
      status: 0,
      stdout: 'backed up 2 files (2 new), to saved\n',
    })
    await rm(at('source/uploads'), { recursive: true })
    const config = database ? { ...gallery, database: slowMachinePostgres(database.url) } : gallery
    const log = new RecordingLog()
    const open = () => createService(config, { data: at('source'), serviceToken: TOKEN, strict: true, log })
    const readiness = async (service: Awaited<ReturnType<typeof open>>): Promise<unknown> =>
      (await service.fetch(new Request('http://localhost/api/ready'))).json()
    const service = await open()
    await eventually(async () =>
      expect(await readiness(service)).toEqual({ status: 'ready', checks: { database: 'ok', files: 'missing' } }),
    )
    const lines: string[] = []
    await eventually(() => {
      lines.push(...log.take())
      expect(lines.join('\n')).toMatch(
        /warn files: the files of some assets are missing.*daybook restore DIR --files-only.*dog\.txt/s,
      )
    })
    expect(await run('source', 'restore', 'saved', '--files-only')).toMatchObject({
      status: 0,
      stdout: 'restored 2 files (0 already there), from saved\n',
    })
    await service.close()
    expect(await filesIn('source', 'uploads')).toEqual(['dog.txt', 'pets/cat.txt'])
  })
})
