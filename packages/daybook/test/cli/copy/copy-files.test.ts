import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createService } from 'daybook'
import { beforeEach, expect, test } from 'vitest'
import { type Asset, type Upload, upload } from '../../support/uploads.ts'
import { daybook, type Ended, folderOf } from '../cli.ts'

const TOKEN = 'a-token-of-the-tests-of-moved-files-0123456789'

const configOf = (folder: string): string => `import { defineConfig, disk } from 'DAYBOOK'
export default defineConfig({ collections: {}, assets: { store: disk({ folder: '${folder}' }) } })
`

let folder: Awaited<ReturnType<typeof folderOf>>
let assets: readonly Asset[]

const at = (...names: readonly string[]): string => join(folder.path, '.daybook', ...names)
const copy = (...more: readonly string[]): Promise<Ended> =>
  daybook(folder.path, 'copy', '--files-from', 'old.config.ts', ...more)

beforeEach(async () => {
  folder = await folderOf({ 'daybook.config.ts': configOf('new'), 'old.config.ts': configOf('old') })
  const { default: config } = await import(join(folder.path, 'old.config.ts'))
  const service = await createService(config, { data: at(), serviceToken: TOKEN })
  const request = (path: string, init?: RequestInit) => service.fetch(new Request(`http://localhost${path}`, init))
  const uploads: readonly Upload[] = [
    { content: 'a cat', texts: { directory: 'pets', filename: 'cat.txt' } },
    { content: 'a dog', name: 'dog.txt' },
  ]
  assets = await Promise.all(uploads.map((file) => upload({ request, token: TOKEN }, file)))
  await service.close()
  return () => folder[Symbol.asyncDispose]()
})

test('files have the same paths in the new store, and are copied once', async () => {
  expect(await copy('--verify-only')).toMatchObject({
    status: 1,
    stdout: 'files: 0 copied, 0 already there, 2 missing\n',
    stderr: expect.stringContaining('pets/cat.txt: The file is missing in the new file store.'),
  })
  expect(await copy()).toMatchObject({ status: 0, stdout: 'files: 2 copied, 0 already there, 0 missing\n' })
  for (const { path } of assets) expect(await readFile(at('new', path))).toEqual(await readFile(at('old', path)))
  await rm(at('new/pets/cat.txt'))
  await rm(at('old', assets[1]?.path ?? ''))
  expect(await copy()).toMatchObject({ status: 0, stdout: 'files: 1 copied, 1 already there, 0 missing\n' })
  expect(await copy('--verify-only')).toMatchObject({
    status: 0,
    stdout: 'files: 0 copied, 2 already there, 0 missing\n',
  })
})

test('missing and different files on either side are named, and the others are copied', async () => {
  await writeFile(at('old/pets/cat.txt'), 'a cow')
  expect(await copy()).toMatchObject({
    status: 1,
    stdout: 'files: 1 copied, 0 already there, 1 missing\n',
    stderr: expect.stringContaining('pets/cat.txt: The file differs from the one that was uploaded.'),
  })
  await expect(readFile(at('new/pets/cat.txt'))).rejects.toThrow('ENOENT')
  await rm(at('old/pets/cat.txt'))
  expect((await copy()).stderr).toContain('pets/cat.txt: The file is missing in the source.')
  await writeFile(at('new', assets[1]?.path ?? ''), 'a cow')
  expect((await copy()).stderr).toContain(`${assets[1]?.path}: The file store has another file at this path.`)
  expect(await readFile(at('new', assets[1]?.path ?? ''), 'utf8')).toBe('a cow')
})

test('files and content are copied separately', async () => {
  expect(await copy('--from', 'sqlite:.daybook')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('Leave out --from and --to'),
  })
})
