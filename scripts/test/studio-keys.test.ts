import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { SHORTCUTS } from '../../packages/studio/src/app/ui/shortcuts.ts'
import { sectionOf } from '../markdown.ts'

/** Keys of the first column of the guide's tables. */
async function documentedKeys(): Promise<readonly string[]> {
  const guide = await readFile(new URL('../../docs/guides/studio-for-editors.md', import.meta.url), 'utf8')
  const cells = sectionOf(guide, '## Use the keyboard')
    .split('\n')
    .flatMap((line) => /^\| ([^|]+) \|/.exec(line)?.[1] ?? [])
  return cells.flatMap((cell) => cell.split(', ')).map((keys) => keys.replaceAll('`', '').replace(/ on the .*$/, ''))
}

const WORDS: Readonly<Record<string, string>> = {
  Mod: 'Ctrl',
  Escape: 'Esc',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowRight: '→',
  ArrowLeft: '←',
}

/** A press as the guide writes it. */
const inWords = (press: string): string =>
  press
    .split('+')
    .map((part) => WORDS[part] ?? part)
    .join(' ')

test('the guide for editors lists every shortcut of the Studio', async () => {
  const documented = (await documentedKeys()).flatMap((keys) => (keys === '↑ ↓' ? ['↑', '↓'] : [keys]))
  const presses = Object.values(SHORTCUTS).flatMap((group) => Object.values<readonly string[]>(group).flat())
  expect(presses.map(inWords).filter((press) => !documented.includes(press))).toEqual([])
})
