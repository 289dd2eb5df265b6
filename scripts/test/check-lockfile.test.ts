import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tidyLockfile } from '../check-lockfile.ts'

const ROOT = join(import.meta.dirname, '../..')

test('the lockfile makes npm warn on no Node that can install the project, and names no registry', async () => {
  const text = await readFile(join(ROOT, 'package-lock.json'), 'utf8')
  expect(tidyLockfile(text)).toBe(text)
})

test('no package of the checkout makes npm warn: what they need is published with them', async () => {
  for (const name of ['client', 'create-daybook', 'daybook']) {
    const manifest = JSON.parse(await readFile(join(ROOT, 'packages', name, 'package.json'), 'utf8'))
    expect(manifest).not.toHaveProperty('engines')
  }
})

test('what npm adds to a lockfile is taken out again, and nothing else', () => {
  const kept = {
    '': { name: 'checkout', engines: { node: '>=20' } },
    'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
    'node_modules/own': { resolved: 'packages/own', link: true },
  }
  const added = {
    ...kept,
    'node_modules/a': {
      ...kept['node_modules/a'],
      resolved: 'https://a.example/a.tgz',
      engines: { node: '>=22' },
    },
  }
  const textOf = (packages: object): string => `${JSON.stringify({ lockfileVersion: 3, packages }, null, 2)}\n`
  expect(tidyLockfile(textOf(added))).toBe(textOf(kept))
})
