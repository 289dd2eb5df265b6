import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { f, type Service } from 'daybook'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import blog from '../../../../../examples/blog/daybook.config.ts'
import { openStore } from '../../../src/store/store.ts'
import { DAYBOOK } from '../../support/built/command.ts'
import { PostgresDatabase } from '../../support/postgres/postgres-database.ts'
import { slowMachinePostgres } from '../../support/postgres/slow-machine-postgres.ts'
import { daybook, type Ended, folderOf } from '../cli.ts'
import everything, { aVeryLongKey, before } from './copy-config.ts'
import { fill, readResponses, sendKeyed, serve } from './copy-content.ts'
import { allRows, CopyPlace, change, rows } from './copy-place.ts'

const CONFIG = join(import.meta.dirname, 'copy-config.ts')
const BLOG = join(import.meta.dirname, '../../../../../examples/blog/daybook.config.ts')

const ALL_DOCUMENTS = [
  ['things', 'plainNotes', aVeryLongKey, 'empty'],
  ['site', 'untouched'],
] as const
const BLOG_DOCUMENTS = [['posts', 'authors', 'tags', 'pages'], ['site']] as const

let scene: CopyPlace

beforeEach(async () => {
  scene = await CopyPlace.make()
  return () => scene[Symbol.asyncDispose]()
})

const copy = (from: string, to: string, ...more: readonly string[]): Promise<Ended> =>
  daybook(scene.folder.path, 'copy', '--config', CONFIG, '--from', from, '--to', to, ...more)

describe('a store with everything', () => {
  /** The folder with the store that every test copies; created once. */
  let sourceFolder: Awaited<ReturnType<typeof folderOf>>

  beforeAll(async () => {
    sourceFolder = await folderOf({})
    const source = join(sourceFolder.path, 'source')
    await serve(before, { data: source }, async (service) => {
      await fill(service)
      const { items } = await service.content.list('things', { limit: 2 } as never)
      for (const { id } of items) {
        await service.content.update('things', String(id), { gone: 'kept aside' } as never)
      }
    })
    const store = await openStore({}, source)
    const recordOptions = { keys: { name: 'b' }, unique: ['name'], until: Date.now() }
    await store.records.transaction((writer) => writer.put('token', { id: 'a', name: 'b' }, recordOptions))
    const finishedMigration = {
      name: '1-first',
      hash: 'a',
      started: 'then',
      run: 'b',
      position: '{}',
      finished: 'later',
    }
    await store.transaction((writer) => writer.migrations.put(finishedMigration))
    await store.close()
    // A draft that equals the published document.
    change(join(source, 'daybook.db'), 'UPDATE things SET draft = doc WHERE pk = 2')
    // A write under the newer config stores values without a field as orphaned.
    await serve(everything, { data: source }, async ({ content }) => {
      const { items } = await content.list('things', { limit: 1 } as never)
      await content.update('things', String(items[0]?.id), { flag: true } as never)
    })
  })
  afterAll(() => sourceFolder[Symbol.asyncDispose]())
  beforeEach(() => cp(sourceFolder.path, scene.folder.path, { recursive: true }))

  test('responds identically in PostgreSQL, and has identical rows after the copy back', async () => {
    const there = await copy('sqlite:source', scene.database.url)
    expect(there).toMatchObject({ status: 0 })
    expect(there.stdout).toMatch(/^things +8 +same +[0-9a-f]{16}$/m)
    expect(there.stdout).toContain('has the same content as')
    const back = await copy(scene.database.url, 'sqlite:back')
    expect(back).toMatchObject({ status: 0 })
    expect(allRows(scene.fileOf('back'))).toEqual(allRows(scene.fileOf('source')))
    expect(rows(scene.fileOf('source'), 'SELECT 1 FROM things WHERE orphaned IS NOT NULL')).not.toEqual([])
    expect(rows(scene.fileOf('back'), 'SELECT id FROM daybook$record_keys')).toEqual([{ id: 'a' }])
    const readAll = (service: Service) => readResponses(service, ...ALL_DOCUMENTS)
    const expected = await serve(everything, { data: scene.at('source') }, readAll)
    expect(expected.size).toBeGreaterThan(300)
    expect(await serve(everything, { database: slowMachinePostgres(scene.database.url) }, readAll)).toEqual(expected)
    expect(await serve(everything, { data: scene.at('back') }, readAll)).toEqual(expected)
  })

  test('continues with the journal, the order of entries and the idempotency records', async () => {
    await copy('sqlite:source', scene.database.url)
    await serve(everything, { database: slowMachinePostgres(scene.database.url) }, async (service) => {
      expect(await sendKeyed(service)).toBe('true')
      const note = await service.content.create('plainNotes', { text: 'note after' } as never)
      const { items } = await service.content.list('plainNotes', { q: 'note', limit: 1 } as never)
      expect(items).toEqual([note])
    })
    const [{ head, last } = { head: 0, last: 1 }] = await scene.database.rows<{ head: number; last: number }>(
      'SELECT seq AS head, (SELECT max(seq) FROM "plainNotes") AS last FROM daybook$head',
    )
    expect([head, last]).toEqual(
      Array(2).fill(Number(rows(scene.fileOf('source'), 'SELECT seq FROM daybook$head')[0]?.seq) + 1),
    )
  })

  test('is complete: a service rebuilds nothing at its start', async () => {
    await copy('sqlite:source', scene.database.url)
    const readSchema = (): Promise<readonly object[]> =>
      scene.database.rows(`SELECT relname, oid, relfilenode FROM pg_class WHERE relnamespace = 'public'::regnamespace
        UNION ALL SELECT key || value, 0, 0 FROM daybook$meta ORDER BY 1`)
    const schemaBefore = await readSchema()
    await serve(everything, { database: slowMachinePostgres(scene.database.url) }, async () => {})
    expect(await readSchema()).toEqual(schemaBefore)
    await copy(scene.database.url, 'sqlite:back')
    const files = () => [
      rows(scene.fileOf('back'), 'SELECT * FROM sqlite_schema'),
      rows(scene.fileOf('back'), 'SELECT * FROM daybook$meta'),
    ]
    const filesBefore = files()
    await serve(everything, { data: scene.at('back') }, async () => {})
    expect(files()).toEqual(filesBefore)
  })

  test('can be copied from file to file, and from PostgreSQL to PostgreSQL', async () => {
    await using other = await PostgresDatabase.make()
    expect(await copy('sqlite:source/daybook.db', 'sqlite:new/other.db')).toMatchObject({ status: 0 })
    expect(await copy('sqlite:new/other.db', scene.database.url)).toMatchObject({ status: 0 })
    expect(await copy(scene.database.url, other.url)).toMatchObject({ status: 0 })
    expect(await copy(other.url.replace('postgres:', 'postgresql:'), 'sqlite:back')).toMatchObject({ status: 0 })
    expect(allRows(scene.fileOf('back'))).toEqual(allRows(scene.fileOf('source')))
  })

  test('can be copied between schemas of a database, with the password from the environment', async () => {
    await scene.database.rows('CREATE SCHEMA other')
    const other = new URL(scene.database.url)
    vi.stubEnv('PGPASSWORD', other.password)
    other.password = ''
    const plain = other.href
    other.search = '?options=-c search_path%3Dother'
    try {
      expect(await copy('sqlite:source', other.href)).toMatchObject({ status: 0 })
      expect(await scene.database.rows("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).toEqual([])
      expect(await copy(other.href, plain)).toMatchObject({ status: 0 })
    } finally {
      vi.unstubAllEnvs()
    }
    expect(await copy(scene.database.url, 'sqlite:back')).toMatchObject({ status: 0 })
    expect(allRows(scene.fileOf('back'))).toEqual(allRows(scene.fileOf('source')))
  })

  test('stays unchanged, and may be served during the copy', async () => {
    const before = allRows(scene.fileOf('source'))
    await serve(everything, { data: scene.at('source') }, async () => {
      expect(await copy('sqlite:source', scene.database.url)).toMatchObject({ status: 0 })
    })
    expect(allRows(scene.fileOf('source'))).toEqual(before)
  })

  test('--verify-only names a table in which one byte differs, and changes nothing', async () => {
    await copy('sqlite:source', scene.database.url)
    expect(await copy('sqlite:source', scene.database.url, '--verify-only')).toMatchObject({ status: 0 })
    await scene.database.rows(`UPDATE things SET doc = replace(doc, 'Ding', 'ding') WHERE pk = 1`)
    await scene.database.rows(`UPDATE things SET locales = replace(locales, 'Ding', 'ding') WHERE pk = 3`)
    const ended = await copy('sqlite:source', scene.database.url, '--verify-only')
    expect(ended.status).toBe(1)
    expect(ended.stdout).toMatch(/^things +8 \/ 8 +DIFFERS/m)
    expect(ended.stdout.match(/DIFFERS/g)).toHaveLength(1)
    expect(ended.stdout).toMatch(/differs from .* in: things\./)
  })

  test('--verify-only waits longer for the server than a service would', async () => {
    await copy('sqlite:source', scene.database.url)
    const locked = scene.database.rows('DO $$ BEGIN LOCK TABLE things; PERFORM pg_sleep(11); END $$')
    expect(await copy('sqlite:source', scene.database.url, '--verify-only')).toMatchObject({ status: 0 })
    await locked
  })
})

describe('the example blog', () => {
  test('responds identically in PostgreSQL, and after the copy back', async () => {
    const copyBlog = (from: string, to: string): Promise<Ended> =>
      daybook(scene.folder.path, 'copy', '--config', BLOG, '--from', from, '--to', to)
    const readAll = (service: Service) => readResponses(service, ...BLOG_DOCUMENTS)
    const expected = await serve(blog, { data: scene.at('source') }, readAll)
    expect(await copyBlog('sqlite:source', scene.database.url)).toMatchObject({ status: 0 })
    expect(await copyBlog(scene.database.url, 'sqlite:back')).toMatchObject({ status: 0 })
    expect(await serve(blog, { database: slowMachinePostgres(scene.database.url) }, readAll)).toEqual(expected)
    expect(await serve(blog, { data: scene.at('back') }, readAll)).toEqual(expected)
    expect(allRows(scene.fileOf('back'))).toEqual(allRows(scene.fileOf('source')))
  })
})

test('documents of many megabytes are copied a few at a time', async () => {
  const notes = { collections: { notes: { fields: { text: f.text({ search: false }) } } } }
  await scene.folder.write({
    'daybook.config.ts': `import { f } from 'DAYBOOK'
export default { collections: { notes: { fields: { text: f.text({ search: false }) } } } }
`,
  })
  await serve(notes, { data: scene.at('source') }, ({ content }) => content.create('notes', { text: '-' } as never))
  change(
    scene.fileOf('source'),
    `WITH RECURSIVE numbers (n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM numbers WHERE n < 199)
     INSERT INTO notes (id, created_at, updated_at, seq, schema_hash, doc)
     SELECT substr(id, 1, 32) || 'z' || n, created_at, updated_at, 1, schema_hash,
       replace(doc, '"-"', '"' || hex(zeroblob(500000)) || '"') FROM notes, numbers`,
  )
  // The heap has room for two thirds of the 100 MB.
  const env = { ...process.env, NODE_OPTIONS: '--max-old-space-size=64' }
  const args = [...DAYBOOK, 'copy', '--from', 'sqlite:source', '--to', 'sqlite:target']
  const child = spawn(process.execPath, args, { cwd: scene.folder.path, env, stdio: ['ignore', 'ignore', 'inherit'] })
  const [status] = await once(child, 'exit')
  expect(status).toBe(0)
  expect(rows(scene.fileOf('target'), 'SELECT count(*) AS count FROM notes')).toEqual([{ count: 101 }])
})
