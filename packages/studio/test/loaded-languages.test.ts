import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const MANIFEST = fileURLToPath(new URL('../dist/app/.vite/manifest.json', import.meta.url))

interface Chunk {
  readonly file: string
  readonly imports?: readonly string[]
}

const chunks: Readonly<Record<string, Chunk>> = JSON.parse(await readFile(MANIFEST, 'utf8'))

/** Finds the built files that a browser loads for sources and their imports. */
function findFiles(...sources: readonly string[]): readonly string[] {
  const needed = new Set(sources)
  // The loop also visits sources that it adds.
  for (const key of needed) for (const imported of chunks[key]?.imports ?? []) needed.add(imported)
  return [...needed].map((key) => chunks[key]?.file ?? `no ${key}`)
}

test('a page loads the texts of its language only', () => {
  const files = findFiles('src/app/main.tsx', 'src/app/messages/en.ts', 'src/app/lists/list-page.tsx')
  expect(files.filter((file) => /^(?:de|en)\./.test(file))).toEqual([expect.stringMatching(/^en\./)])
  expect(chunks['src/app/messages/de.ts']?.file).toMatch(/^de\./)
})
