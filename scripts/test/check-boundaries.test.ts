import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'

const SCRIPT = fileURLToPath(new URL('../check-boundaries.ts', import.meta.url))

async function checkTree(
  files: Readonly<Record<string, string>>,
  name = 'daybook',
): Promise<{ status: number | null; said: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-boundaries-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const [file, code] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), code)
  }
  const args = ['--disable-warning=ExperimentalWarning', SCRIPT, folder, name]
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return { status, said: stderr }
}

test('passes if every import follows the layers', async () => {
  const result = await checkTree({
    'fields/text.ts': "import { fail } from '../errors.ts'\nexport const text = fail\n",
    'model/compile.ts': "import { text } from '../fields/text.ts'\nexport const model = text\n",
    'http/app.ts':
      "import { createRouter } from 'rou3'\nimport { model } from '../model/compile.ts'\nexport { createRouter, model }\n",
    'errors.ts': 'export const fail = 1\n',
  })
  expect(result).toEqual({ status: 0, said: '' })
})

test('fails on a cycle of values, also across several files', async () => {
  const { status, said } = await checkTree({
    'store/a.ts': "import { b } from './b.ts'\nexport const a = () => b\n",
    'store/b.ts': "export { c as b } from './c.ts'\n",
    'store/c.ts': "import { a } from './a.ts'\nexport const c = () => a\n",
  })
  expect(status).toBe(1)
  expect(said).toContain('store/a.ts -> store/b.ts -> store/c.ts -> store/a.ts')
})

test('fails on a cycle of types', async () => {
  const { status, said } = await checkTree({
    'store/a.ts': "import type { B } from './b.ts'\nexport interface A { b: B }\nexport const a = 1\n",
    'store/b.ts': "import { type A, a } from './a.ts'\nexport interface B { a: A }\nexport { a }\n",
  })
  expect(status).toBe(1)
  expect(said).toContain('store/a.ts -> store/b.ts -> store/a.ts')
})

test('fails on the import of a type against the direction', async () => {
  const { status, said } = await checkTree({
    'config/config.ts':
      "import type { Database } from '../store/database.ts'\nexport interface Config { database: Database }\n",
    'store/database.ts': 'export interface Database { name: string }\n',
  })
  expect(status).toBe(1)
  expect(said).toContain('config/config.ts imports store/database.ts, against the layout.')
})

test('fails on an import past the index of a folder of content', async () => {
  const { status, said } = await checkTree({
    'content/reads/list.ts': 'export const list = 1\n',
    'content/reads/index.ts': "export { list } from './list.ts'\n",
    'content/caller-content.ts': "export { list } from './reads/list.ts'\n",
    'http/good.ts': "export { list } from '../content/reads/index.ts'\n",
    'http/bad.ts': "export { list } from '../content/reads/list.ts'\n",
  })
  expect(status).toBe(1)
  expect(said).toContain('http/bad.ts')
  expect(said).not.toContain('http/good.ts')
  expect(said).not.toContain('caller-content.ts')
})

test.each([
  ['an import against the direction', 'query/read.ts', "import { app } from '../http/app.ts'\nexport { app }\n"],
  ['a re-export against the direction', 'query/read.ts', "export { app } from '../http/app.ts'\n"],
  ['a dynamic import against it', 'query/read.ts', "export const load = () => import('../http/app.ts')\n"],
  ['a plugin that looks inside', 'plugins/docs.ts', "import { app } from '../http/app.ts'\nexport { app }\n"],
  ['a leaf that imports a part', 'log.ts', "import { app } from './http/app.ts'\nexport { app }\n"],
  ['a folder that the layout does not have', 'utils/x.ts', "import { app } from '../http/app.ts'\nexport { app }\n"],
])('fails on %s', async (_what, file, code) => {
  const { status, said } = await checkTree({ [file]: code, 'http/app.ts': 'export const app = 1\n' })
  expect(status).toBe(1)
  expect(said).toContain(file)
})

test.each([
  ['ajv/dist/2020.js', 'http/app.ts'],
  ['kysely', 'content/entries.ts'],
  ['better-sqlite3', 'store/read.ts'],
  ['rou3/compiler', 'node/serve.ts'],
])('fails when %s is imported by %s', async (library, file) => {
  const { status, said } = await checkTree({ [file]: `import * as library from '${library}'\nexport { library }\n` })
  expect(status).toBe(1)
  expect(said).toContain(file)
})

describe('the client', () => {
  test('may import its own files, and types of others', async () => {
    const result = await checkTree(
      {
        'client.ts':
          "import type { Entry } from 'daybook'\nimport { send } from './request.ts'\nexport const get = (): Entry => send()\n",
        'request.ts': 'export const send = () => 1\n',
      },
      'client',
    )
    expect(result).toEqual({ status: 0, said: '' })
  })

  test.each(['daybook', 'node:http', 'hono', '../../daybook/src/errors.ts'])('may not import %s', async (what) => {
    const { status, said } = await checkTree({ 'client.ts': `export * from '${what}'\n` }, 'client')
    expect(status).toBe(1)
    expect(said).toContain(what.replace(/^.*daybook\/src/, ''))
  })

  test('has no cycle of values', async () => {
    const files = { 'a.ts': "export { b } from './b.ts'\n", 'b.ts': "export { a as b } from './a.ts'\n" }
    expect((await checkTree(files, 'client')).said).toContain('a.ts -> b.ts -> a.ts')
  })
})

test('checks the layers of the Studio: pages import shared parts, and no other page', async () => {
  const shared = {
    'ui/button.tsx': 'export const Button = () => <button />\n',
    'api/query-keys.ts': "export const keys = ['model']\n",
    'lists/list-page.tsx': "import { Button } from '../ui/button.tsx'\nexport const ListPage = () => <Button />\n",
    'routes.tsx': "export const page = () => import('./lists/list-page.tsx')\n",
  }
  expect(await checkTree(shared, 'studio')).toEqual({ status: 0, said: '' })
  const upwards = {
    ...shared,
    'ui/menu.tsx': "import { keys } from '../api/query-keys.ts'\nexport const Menu = () => <p>{keys}</p>\n",
  }
  expect((await checkTree(upwards, 'studio')).said).toContain(
    'ui/menu.tsx imports api/query-keys.ts, against the layout',
  )
  const sideways = { ...shared, 'overview/page.tsx': "export const load = () => import('../lists/list-page.tsx')\n" }
  expect((await checkTree(sideways, 'studio')).said).toContain('overview/page.tsx imports lists/list-page.tsx')
  const stray = { ...shared, 'utils/x.ts': 'export const x = 1\n' }
  expect((await checkTree(stray, 'studio')).said).toContain('utils/x.ts is in no part of the layout')
})
