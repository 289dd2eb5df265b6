import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// A name that comes or goes is a change of the public surface: it belongs into the CHANGELOG, too.
test('what the package exports', async () => {
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

test('package.json has one way in, and nothing that comes along', async () => {
  const manifest = JSON.parse(await readFile(join(import.meta.dirname, '../package.json'), 'utf8'))
  expect(Object.keys(manifest.exports)).toEqual(['.'])
  expect(manifest.dependencies).toBeUndefined()
  expect(manifest.peerDependenciesMeta).toEqual({ daybook: { optional: true } })
})
