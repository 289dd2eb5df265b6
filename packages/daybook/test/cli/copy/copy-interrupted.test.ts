import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { f, type Service } from 'daybook'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DAYBOOK } from '../../support/built/command.ts'
import { FaultyProxy } from '../../support/network/faulty-proxy.ts'
import { slowMachinePostgres } from '../../support/postgres/slow-machine-postgres.ts'
import { daybook, type Ended, folderOf } from '../cli.ts'
import { readResponses, serve } from './copy-content.ts'
import { allRows, CopyPlace } from './copy-place.ts'

let scene: CopyPlace

beforeEach(async () => {
  scene = await CopyPlace.make()
  return () => scene[Symbol.asyncDispose]()
})

const idOf = async (entry: Promise<unknown>): Promise<string> => ((await entry) as { readonly id: string }).id

describe('a copy that was killed', () => {
  const notes = { collections: { notes: { fields: { text: f.text(), other: f.relation('notes', { many: true }) } } } }

  /** The folder with the store that every test copies; created once. */
  let sourceFolder: Awaited<ReturnType<typeof folderOf>>

  beforeAll(async () => {
    sourceFolder = await folderOf({
      'daybook.config.ts': `import { f } from 'DAYBOOK'
export default { collections: { notes: { fields: { text: f.text(), other: f.relation('notes', { many: true }) } } } }
`,
    })
    await serve(notes, { data: join(sourceFolder.path, 'source') }, async ({ content }) => {
      const other: string[] = []
      for (const text of ['a', 'b', 'c', 'd']) other.push(await idOf(content.create('notes', { text } as never)))
      await Promise.all(
        Array.from({ length: 5000 }, (_, index) => content.create('notes', { text: `note ${index}`, other } as never)),
      )
    })
  })
  afterAll(() => sourceFolder[Symbol.asyncDispose]())
  beforeEach(() => cp(sourceFolder.path, scene.folder.path, { recursive: true }))

  const again = (to: string, ...more: readonly string[]): Promise<Ended> =>
    daybook(scene.folder.path, 'copy', '--from', 'sqlite:source', '--to', to, ...more)

  /** Starts a copy, and kills it once it has reported a third of the rows or more. */
  async function kill(to: string): Promise<void> {
    const child = spawn(process.execPath, [...DAYBOOK, 'copy', '--from', 'sqlite:source', '--to', to], {
      cwd: scene.folder.path,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const exited = once(child, 'exit')
    for await (const line of createInterface({ input: child.stderr })) {
      const [, done, total] = /^(\d+)\/(\d+) rows copied/.exec(line) ?? []
      if (Number(done) * 3 > Number(total)) child.kill('SIGKILL')
    }
    expect((await exited)[1]).toBe('SIGKILL')
  }

  const places = {
    'into PostgreSQL': () => ({ to: scene.database.url, place: { database: slowMachinePostgres(scene.database.url) } }),
    'into a file': () => ({ to: 'sqlite:target', place: { data: scene.at('target') } }),
  }

  for (const [name, where] of Object.entries(places)) {
    test(`${name}: no service starts on it, and the same command completes it`, async () => {
      const { to, place } = where()
      await kill(to)
      await expect(serve(notes, place, async () => {})).rejects.toThrow(
        'This database holds an unfinished copy of another one. Run the same daybook copy again',
      )
      const unfit = await again(to, '--verify-only')
      expect(unfit).toMatchObject({ status: 1 })
      expect(unfit.stderr).toContain('is an unfinished copy')
      const ended = await again(to)
      expect(ended).toMatchObject({ status: 0 })
      const [, done, total] = /^(\d+)\/(\d+) rows copied/m.exec(ended.stderr) ?? []
      expect(Number(done) * 3, 'it goes on where it was').toBeGreaterThan(Number(total))
      const readAll = (service: Service) => readResponses(service, ['notes'], [])
      expect(await serve(notes, place, readAll)).toEqual(await serve(notes, { data: scene.at('source') }, readAll))
    })
  }

  test('copies changed tables again, and names them', async () => {
    await kill(scene.database.url)
    await serve(notes, { data: scene.at('source') }, async ({ content }) => {
      const { items } = await content.list('notes', { limit: 2, sort: 'createdAt' } as never)
      const [first, second] = items.map(({ id }) => String(id))
      await content.update('notes', String(first), { text: 'changed' } as never)
      await content.delete('notes', String(second))
      await content.create('notes', { text: 'new' } as never)
    })
    const ended = await again(scene.database.url)
    expect(ended).toMatchObject({ status: 0 })
    expect(ended.stderr).toMatch(/^The source has changed since the copy began\. Copying again: .*\bnotes\b/m)
    await daybook(scene.folder.path, 'copy', '--from', scene.database.url, '--to', 'sqlite:back')
    expect(allRows(scene.fileOf('back'))).toEqual(allRows(scene.fileOf('source')))
  })

  test('is rejected if a row differs; the next run copies that table again', async () => {
    await kill(scene.database.url)
    await scene.database.rows("UPDATE notes SET doc = doc || ' ' WHERE pk = 9")
    const ended = await again(scene.database.url)
    expect(ended.status).toBe(1)
    expect(ended.stdout).toMatch(/differs from .* in: notes\. Run the same command again/)
    await expect(serve(notes, { database: slowMachinePostgres(scene.database.url) }, async () => {})).rejects.toThrow(
      'unfinished copy',
    )
    expect(await again(scene.database.url)).toMatchObject({ status: 0 })
  })

  test('or has lost its connection can be continued', async () => {
    const url = new URL(scene.database.url)
    await using proxy = await FaultyProxy.to(Number(url.port))
    url.port = String(proxy.port)
    const child = spawn(process.execPath, [...DAYBOOK, 'copy', '--from', 'sqlite:source', '--to', url.href], {
      cwd: scene.folder.path,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const exited = once(child, 'exit')
    let stderr = ''
    for await (const line of createInterface({ input: child.stderr })) {
      stderr += `${line}\n`
      if (line.includes('rows copied')) {
        proxy.refuse()
        proxy.cut()
      }
    }
    expect((await exited)[0]).toBe(1)
    expect(stderr).toContain('What is already copied is kept: the same command continues.')
    expect(stderr).not.toContain('    at ')
    await proxy.heal()
    expect(await again(url.href)).toMatchObject({ status: 0 })
  })

  test('is not mixed with another store', async () => {
    await kill(scene.database.url)
    await serve(notes, { data: scene.at('other') }, ({ content }) => content.create('notes', { text: 'a' } as never))
    const ended = await daybook(scene.folder.path, 'copy', '--from', 'sqlite:other', '--to', scene.database.url)
    expect(ended).toMatchObject({ status: 1, stdout: '' })
    expect(ended.stderr).toContain('holds an unfinished copy of another store. Copy into an empty database')
    const onward = await daybook(scene.folder.path, 'copy', '--from', scene.database.url, '--to', 'sqlite:next')
    expect(onward).toMatchObject({ status: 1, stdout: '' })
    expect(onward.stderr).toContain('is an unfinished copy. Finish it first')
  })
})
