import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// These names are public; the CHANGELOG must mention each change.
test('the exports of the package', async () => {
  expect(Object.keys(await import('@daybook/client')).sort()).toEqual([
    'DaybookError',
    'NetworkError',
    'TimeoutError',
    'changesOf',
    'createClient',
    'etagOf',
    'toQueryString',
  ])
})

test('package.json has one entry point and no dependencies', async () => {
  const manifest = JSON.parse(await readFile(join(import.meta.dirname, '../package.json'), 'utf8'))
  expect(Object.keys(manifest.exports)).toEqual(['.'])
  expect(manifest.dependencies).toBeUndefined()
  expect(manifest.peerDependenciesMeta).toEqual({ daybook: { optional: true } })
})
