import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, onTestFinished, test } from 'vitest'

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

const ROOT = join(import.meta.dirname, '../../..')

/** The code of a web project that uses the client. */
const PROJECT = `import { createClient } from '@daybook/client'
import type { Blog } from './config.ts'
export const client = createClient<Blog>({ baseUrl: 'https://cms.example.org' })
export * from '@daybook/client'
`

async function bundleProject(): Promise<{ readonly code: string; readonly modules: readonly string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-bundle-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  await symlink(join(import.meta.dirname, 'support/config.ts'), join(folder, 'config.ts'))
  await writeFile(join(folder, 'main.ts'), PROJECT)
  await using bundle = await rolldown({ input: join(folder, 'main.ts'), platform: 'browser' })
  const { output } = await bundle.generate({ minify: true })
  const [{ code, moduleIds, imports }] = output
  expect([output.length, imports], 'everything is in one file').toEqual([1, []])
  return { code, modules: moduleIds }
}

test('the client adds at most 7 KiB to a bundle, gzipped, and no code of the service', async () => {
  const { code, modules } = await bundleProject()
  const foreign = modules.filter((path) => !/packages\/client\/src\/[\w-]+\.ts$|main\.ts$/.test(path))
  expect(foreign).toEqual([])
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(7 * 1024)
})
