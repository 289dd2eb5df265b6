import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { sectionOf } from '../markdown.ts'

const read = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

const APP = 'packages/studio/src/app'

/** Keys of the first column of the guide's tables. */
async function documentedKeys(): Promise<readonly string[]> {
  const section = sectionOf(await read('docs/studio-for-editors.md'), '## Use the keyboard')
  const cells = section.split('\n').flatMap((line) => /^\| ([^|]+) \|/.exec(line)?.[1] ?? [])
  return cells.flatMap((cell) => cell.split(', ')).map((keys) => keys.replaceAll('`', ''))
}

test('the guide for editors has every key that the Studio lists', async () => {
  const code = await read(`${APP}/shell/palette/palette-button.tsx`)
  const keys = [...code.matchAll(/\{ key: '(.)',( isWithCommand: true,)?/g)].map(([, key = '', isWithCommand]) =>
    isWithCommand ? `Ctrl ${key.toUpperCase()}` : key,
  )
  expect(keys).toContain('Ctrl K')
  expect(await documentedKeys()).toEqual(expect.arrayContaining(keys))
})

test('the guide for editors has every key that formats a text', async () => {
  const code = await read(`${APP}/editor/fields/markdown/code/markdown-view.ts`)
  const keys = [...code.matchAll(/press\('(Mod-[\w-]+)'/g)].map(([, key = '']) =>
    key
      .split('-')
      .map((part) => (part === 'Mod' ? 'Ctrl' : part[0]?.toUpperCase() + part.slice(1)))
      .join(' '),
  )
  expect(keys).toContain('Ctrl B')
  expect(await documentedKeys()).toEqual(expect.arrayContaining(keys))
})
