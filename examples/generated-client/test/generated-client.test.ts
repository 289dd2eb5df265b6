import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { serve } from 'daybook/node'
import { createTestService } from 'daybook/testing'
import openapiTS, { astToString } from 'openapi-typescript'
import { expect, onTestFinished, test } from 'vitest'
import blog from '../../blog/daybook.config.ts'

const EXAMPLE = join(import.meta.dirname, '..')
const ROOT = join(EXAMPLE, '../..')
const run = promisify(execFile)

/** A folder with the example, as somebody has it who copied it. */
async function copyExample(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-generated-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await cp(join(EXAMPLE, 'client.ts'), join(folder, 'client.ts'))
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.base.json'),
      compilerOptions: { noEmit: true, typeRoots: [join(ROOT, 'node_modules/@types')] },
      files: ['client.ts'],
    }),
  )
  return folder
}

test('a client made from the document of the example is typed, and lists, creates, changes and deletes', async () => {
  const service = await createTestService(blog)
  const { url, stop } = await serve(service, { port: 0 })
  onTestFinished(() => stop(1000))
  const folder = await copyExample()
  const types = astToString(await openapiTS(await (await fetch(`${url}/openapi.json`)).text()))
  await writeFile(join(folder, 'schema.d.ts'), types)

  const compiled = await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder]).catch((error) => error)
  expect(compiled.stdout).toBe('')

  const { stdout } = await run(process.execPath, ['client.ts'], {
    cwd: folder,
    env: { ...process.env, DAYBOOK_URL: url, DAYBOOK_SERVICE_TOKEN: service.token },
  })
  expect(stdout.split('\n')).toEqual([
    'created Made by a generated client made-by-a-generated-client',
    'listed 1 made-by-a-generated-client',
    'updated Changed by a generated client',
    'refused PRECONDITION_FAILED',
    'deleted 204 NOT_FOUND',
    '',
  ])
})

test('the types refuse what the service refuses', async () => {
  await using service = await createTestService(blog)
  const folder = await copyExample()
  await writeFile(
    join(folder, 'schema.d.ts'),
    astToString(await openapiTS(await (await service.request('/openapi.json')).text())),
  )
  await writeFile(
    join(folder, 'client.ts'),
    [
      "import createClient from 'openapi-fetch'",
      "import type { paths } from './schema.d.ts'",
      'const cms = createClient<paths>()',
      "await cms.POST('/api/posts', { body: { category: 'no title' } })",
      "await cms.POST('/api/posts', { body: { title: 'A', status: 'lost' } })",
      "await cms.GET('/api/nothing')",
      "await cms.GET('/api/posts', { params: { query: { limit: 'many' } } })",
    ].join('\n'),
  )
  const { stdout } = await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder, '--pretty', 'false']).catch(
    (error) => error,
  )
  const lines = [...String(stdout).matchAll(/client\.ts\((\d+)/g)].map(([, line]) => Number(line))
  expect([...new Set(lines)]).toEqual([4, 5, 6, 7])
})
