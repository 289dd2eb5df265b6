import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createService } from 'daybook'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { PostgresDatabase } from '../../support/postgres/postgres-database.ts'
import { slowMachinePostgres } from '../../support/postgres/slow-machine-postgres.ts'
import { withoutHeader } from '../../support/stores/export.ts'
import { type Asset, type Upload, upload } from '../../support/uploads.ts'
import { daybook, type Ended, folderOf } from '../cli.ts'
import { serve } from '../copy/copy-content.ts'
import { gallery } from './files-config.ts'

const CONFIG = join(import.meta.dirname, 'files-config.ts')

let folder: Awaited<ReturnType<typeof folderOf>>
let uploaded: readonly Asset[]

const at = (...names: readonly string[]): string => join(folder.path, ...names)
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')
const named = (text: string): string => join(digestOf(text).slice(0, 2), digestOf(text))

/** Runs a command on a data folder, with the content in a database if there is a URL. */
function run(data: string, args: readonly string[], url = ''): Promise<Ended> {
  vi.stubEnv('DATABASE_URL', url)
  return daybook(folder.path, ...args, '--config', CONFIG, '--data', data)
}

async function filesIn(...names: readonly string[]): Promise<readonly string[]> {
  const entries = await readdir(at(...names), { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return files.map((path) => path.slice(at(...names).length + 1)).sort()
}

const TOKEN = 'a-token-of-the-tests-of-files-0123456789'

async function uploadTo(data: string, ...uploads: readonly Upload[]): Promise<readonly Asset[]> {
  const service = await createService(gallery, { data: at(data), serviceToken: TOKEN })
  const request = (path: string, init?: RequestInit) => service.fetch(new Request(`http://localhost${path}`, init))
  const assets: Asset[] = []
  for (const file of uploads) assets.push(await upload({ request, token: TOKEN }, file))
  await service.close()
  return assets
}

beforeEach(async () => {
  folder = await folderOf({})
  uploaded = await uploadTo(
    'source',
    { content: 'a cat', name: 'cat.txt', texts: { directory: 'pets/2026', filename: 'cat.txt' } },
    { content: 'a dog', name: 'Hund ä.html', texts: { alt: 'A dog' } },
    { content: 'a cat', name: 'same cat.txt' },
  )
  await serve(gallery, { data: at('source') }, async ({ content }) => {
    await content.create('posts', { title: 'Pets', cover: uploaded[0]?.id ?? '' })
  })
  return () => folder[Symbol.asyncDispose]()
})
afterEach(() => vi.unstubAllEnvs())

const EXPORT = ['export', 'all.ndjson', '--files', 'files'] as const
const IMPORT = ['import', 'all.ndjson', '--files', 'files'] as const

describe('an export with files', () => {
  test('writes the bytes of each file once, named by their digest, which only their owner can read', async () => {
    const ended = await run('source', EXPORT)
    expect(ended).toMatchObject({ status: 0, stderr: expect.stringContaining('files: 2 written, 0 already there') })
    expect(await filesIn('files')).toEqual([named('a cat'), named('a dog')].sort())
    expect(await readFile(at('files', named('a dog')), 'utf8')).toBe('a dog')
    expect((await stat(at('files', named('a dog')))).mode & 0o777).toBe(0o600)
    expect(await readFile(at('all.ndjson'), 'utf8')).toContain(digestOf('a dog'))
  })

  test('skips files that exist, and replaces altered ones', async () => {
    await run('source', EXPORT)
    await writeFile(at('files', named('a dog')), 'a cow')
    await rm(at('source', 'uploads', 'pets/2026/cat.txt'))
    expect(await run('source', EXPORT)).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('files: 1 written, 1 already there'),
    })
    expect(await readFile(at('files', named('a dog')), 'utf8')).toBe('a dog')
  })

  test.each([
    ['missing', (path: string) => rm(path), 'The file is missing in the file store.'],
    ['altered', (path: string) => writeFile(path, 'a cow'), 'differs from the one that was uploaded'],
  ])('names a file that is %s, and exports nothing', async (_, spoil, message) => {
    const { path = '' } = uploaded[1] ?? {}
    await spoil(at('source', 'uploads', path))
    const ended = await run('source', EXPORT)
    expect(ended.status).toBe(1)
    expect(ended.stderr).toContain(`${path}: `)
    expect(ended.stderr).toContain(message)
    expect(await filesIn('files')).toEqual([named('a cat')])
    expect(await filesIn()).not.toContain('all.ndjson')
  })

  test('of changes contains the files of changed assets', async () => {
    const seq = JSON.parse((await readFile(await exportPlain('source'), 'utf8')).split('\n')[0] ?? '').seq
    await uploadTo('source', { content: 'a bird' })
    await run('source', ['export', 'changes.ndjson', '--files', 'changed', '--since', String(seq)])
    expect(await filesIn('changed')).toEqual([named('a bird')])
  })
})

async function exportPlain(data: string): Promise<string> {
  await run(data, ['export', 'plain.ndjson'])
  return at('plain.ndjson')
}

describe('a restore with files', () => {
  test('gives the same assets with the same bytes at the same paths, on both stores', async () => {
    await using database = await PostgresDatabase.make()
    await run('source', EXPORT)
    for (const [data, url] of [
      ['sqlite', ''],
      ['postgres', database.url],
    ] as const) {
      expect(await run(data, IMPORT, url)).toMatchObject({ status: 0, stdout: expect.stringContaining('restored 4') })
      expect(await filesIn(data, 'uploads')).toEqual(await filesIn('source', 'uploads'))
      await run(data, ['export', `${data}.ndjson`], url)
      const lines = await readFile(at(`${data}.ndjson`), 'utf8')
      expect(withoutHeader(lines)).toBe(withoutHeader(await readFile(at('all.ndjson'), 'utf8')))
      // A service that starts removes only files without an asset.
      const place = { data: at(data), ...(url && { database: slowMachinePostgres(url) }) }
      await serve(gallery, place, async ({ content }) => {
        expect((await content.get('posts', 'pets', { include: ['cover'] }))?.cover).toMatchObject({
          url: '/uploads/pets/2026/cat.txt',
        })
      })
      expect(await readFile(at(data, 'uploads', 'pets/2026/cat.txt'), 'utf8')).toBe('a cat')
    }
  })

  test.each([
    ['missing', (path: string) => rm(path), 'is missing'],
    ['altered', (path: string) => writeFile(path, 'a cow'), 'has bytes that do not match its name'],
  ])('names a file that is %s, and stores nothing', async (_, spoil, message) => {
    await run('source', EXPORT)
    await spoil(at('files', named('a dog')))
    const ended = await run('target', IMPORT)
    expect(ended).toMatchObject({ status: 1, stdout: expect.stringContaining('Nothing of this file was stored.') })
    expect(ended.stderr).toMatch(
      new RegExp(`all\\.ndjson, line \\d: The file files/\\w\\w/${digestOf('a dog')} ${message}`),
    )
    expect(await filesIn('target', 'uploads')).toEqual([])
    await run('source', EXPORT)
    expect(await run('target', IMPORT)).toMatchObject({ status: 0 })
  })

  test('continues an interrupted one, with the files that exist', async () => {
    await run('source', EXPORT)
    const dog = uploaded[1]?.path ?? ''
    // Another file has the path of an asset: the restore stops there, after the files before it.
    await mkdir(at('target', 'uploads'), { recursive: true })
    await writeFile(at('target', 'uploads', dog), 'a cow')
    const stopped = await run('target', IMPORT)
    expect(stopped).toMatchObject({ status: 1, stderr: expect.stringContaining(`has another file at ${dog}`) })
    expect(await filesIn('target', 'uploads')).toContain('pets/2026/cat.txt')
    await rm(at('target', 'uploads', dog))
    expect(await run('target', IMPORT)).toMatchObject({ status: 0 })
    expect(await filesIn('target', 'uploads')).toEqual(await filesIn('source', 'uploads'))
  })

  test('without its files prints that they have to exist already', async () => {
    await run('source', EXPORT)
    expect(await run('target', ['import', 'all.ndjson'])).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('those of 3 assets must be in the file store'),
    })
    expect(await filesIn('target', 'uploads')).toEqual([])
  })

  test.each([
    ['path', 'pets/2026/cat.txt', '../../escaped.txt'],
    ['path', 'pets/2026/cat.txt', '.incoming/escaped'],
    ['sha256', digestOf('a dog'), `../${digestOf('a dog')}`],
  ])('rejects a line whose %s leads out of the folder', async (key, from, to) => {
    await run('source', EXPORT)
    const lines = await readFile(at('all.ndjson'), 'utf8')
    await writeFile(at('all.ndjson'), lines.replaceAll(`"${key}":"${from}"`, `"${key}":"${to}"`))
    const ended = await run('target', IMPORT)
    expect(ended).toMatchObject({ status: 1, stderr: expect.stringContaining(`: document.${key} must be `) })
    expect(await filesIn('target', 'uploads')).toEqual([])
  })
})
