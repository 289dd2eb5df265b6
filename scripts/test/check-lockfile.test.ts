import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tidyLockfile } from '../check-lockfile.ts'

const ROOT = join(import.meta.dirname, '../..')

test('the lockfile causes no npm warning on a supported Node, and names no registry', async () => {
  const text = await readFile(join(ROOT, 'package-lock.json'), 'utf8')
  expect(tidyLockfile(text)).toBe(text)
})

test('no manifest of the checkout has engines, which would make npm warn', async () => {
  for (const name of ['client', 'create-daybook', 'daybook']) {
    const manifest = JSON.parse(await readFile(join(ROOT, 'packages', name, 'package.json'), 'utf8'))
    expect(manifest).not.toHaveProperty('engines')
  }
})

test('entries that npm adds to a lockfile are removed, and nothing else', () => {
  const original = {
    '': { name: 'checkout', engines: { node: '>=20' } },
    'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
    'node_modules/own': { resolved: 'packages/own', link: true },
  }
  const added = {
    ...original,
    'node_modules/a': {
      ...original['node_modules/a'],
      resolved: 'https://a.example/a.tgz',
      engines: { node: '>=22' },
    },
  }
  const textOf = (packages: object): string => `${JSON.stringify({ lockfileVersion: 3, packages }, null, 2)}\n`
  expect(tidyLockfile(textOf(added))).toBe(textOf(original))
})
