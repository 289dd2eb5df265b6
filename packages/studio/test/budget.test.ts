import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const FOLDER = fileURLToPath(new URL('../dist/app', import.meta.url))

interface Chunk {
  readonly file: string
  readonly css?: readonly string[]
  readonly imports?: readonly string[]
}

const chunks: Readonly<Record<string, Chunk>> = JSON.parse(await readFile(join(FOLDER, '.vite/manifest.json'), 'utf8'))

const START = 'src/app/main.tsx'
const ENGLISH = 'src/app/messages/en.ts'
const LIST = 'src/app/lists/list-page.tsx'
const MARKDOWN = 'src/app/editor/fields/markdown/code/markdown-view.ts'
const ENTRY = 'src/app/editor/entry-page.tsx'

/** The files that a page needs, by the sources that it begins with. */
function filesOf(...sources: readonly string[]): ReadonlySet<string> {
  const needed = new Set(sources)
  // What is added meanwhile is visited, too.
  for (const key of needed) for (const other of chunks[key]?.imports ?? []) needed.add(other)
  return new Set([...needed].flatMap((key) => [chunks[key]?.file ?? `no ${key}`, ...(chunks[key]?.css ?? [])]))
}

/** In KiB, gzipped. */
async function sizeOf(files: Iterable<string>): Promise<number> {
  const sizes = await Promise.all([...files].map(async (file) => (await readFile(join(FOLDER, `${file}.gz`))).length))
  return sizes.reduce((sum, size) => sum + size, 0) / 1024
}

test('a cold list page takes at most 220 KiB, styles included', async () => {
  expect(await sizeOf(filesOf(START, ENGLISH, LIST))).toBeLessThanOrEqual(220)
})

test('the editor adds at most 60 KiB to it', async () => {
  const cold = filesOf(START, ENGLISH, LIST)
  expect(await sizeOf([...filesOf(ENTRY)].filter((file) => !cold.has(file)))).toBeLessThanOrEqual(60)
})

test('an editor of Markdown adds at most 105 KiB when one is seen', async () => {
  const before = filesOf(START, ENGLISH, ENTRY)
  expect(await sizeOf([...filesOf(MARKDOWN)].filter((file) => !before.has(file)))).toBeLessThanOrEqual(105)
})

test('one language is loaded, and the other is not', () => {
  expect([...filesOf(START, ENGLISH, LIST)].filter((file) => file.startsWith('de.'))).toEqual([])
  expect(chunks['src/app/messages/de.ts']?.file).toMatch(/^de\./)
})
