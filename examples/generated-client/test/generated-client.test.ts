import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { serve } from 'daybook/node'
import { createTestService } from 'daybook/testing'
import openapiTS, { astToString } from 'openapi-typescript'
import { generate } from 'orval'
import { beforeAll, expect, test, vi } from 'vitest'
import blog from '../../blog/daybook.config.ts'
import heyApi from '../openapi-ts.config.ts'
import orval from '../orval.config.ts'

const EXAMPLE = join(import.meta.dirname, '..')
const ROOT = join(EXAMPLE, '../..')
const run = promisify(execFile)

/** Faults that the types have to find: where one is none, the compiler says so. */
const REFUSED = `import createClient from 'openapi-fetch'
import { createPostsEntry, listPosts } from './orval.ts'
import * as hey from './hey-api/sdk.gen.ts'
import type { paths } from './schema.d.ts'

const cms = createClient<paths>()
// @ts-expect-error the title is missing
await cms.POST('/api/posts', { body: { category: 'no title' } })
// @ts-expect-error no such status
await cms.POST('/api/posts', { body: { title: 'A', status: 'lost' } })
// @ts-expect-error no such path
await cms.GET('/api/nothing')
// @ts-expect-error a limit is a number
await cms.GET('/api/posts', { params: { query: { limit: 'many' } } })
// @ts-expect-error the title is missing
await createPostsEntry({ category: 'no title' })
// @ts-expect-error no such field
await listPosts({ where: { titel: { eq: 'A' } } })
// @ts-expect-error the title is missing
await hey.createPostsEntry({ body: { category: 'no title' } })
// @ts-expect-error no such operator
await hey.listPosts({ query: { where: { title: { equals: 'A' } } } })

// A localized field is a text, or empty where nobody has translated it; so are fields of a global.
export const text = async (): Promise<string | null | undefined> => (await cms.GET('/api/pages')).data?.items[0]?.title
export const sameText = async (): Promise<string | null | undefined> => (await hey.listPages()).data?.items[0]?.title
export const name = async (): Promise<string | null | undefined> => (await hey.getSiteGlobal()).data?.siteName
`

/** npm places hey-api beside the TypeScript of this workspace, whose version 7 cannot print code; the example has version 5. */
const hooks = registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, specifier === 'typescript' ? { ...context, parentURL: import.meta.url } : context),
})
const { createClient } = await import('@hey-api/openapi-ts')
hooks.deregister()

const service = await createTestService(blog)
const { url, stop } = await serve(service, { port: 0 })

/** A folder with a copy of the example for each kind of caller. */
let folder: string

const warnings = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')]

/** Copies the example, and generates the three clients of a document there. */
async function generateClients(place: string, document: string): Promise<void> {
  await cp(EXAMPLE, place, { recursive: true, filter: (file) => !/node_modules|test$|config\.ts$/.test(file) })
  await writeFile(join(place, 'openapi.json'), document)
  await writeFile(join(place, 'refused.ts'), REFUSED)
  await writeFile(join(place, 'schema.d.ts'), astToString(await openapiTS(document, { silent: false })))
  await generate(orval.daybook, place)
  const output = { ...heyApi.output, path: join(place, heyApi.output.path) }
  await createClient({ ...heyApi, input: join(place, heyApi.input), output, logs: { file: false, level: 'warn' } })
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-generated-'))
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const headers = { Authorization: `Bearer ${service.token}` }
  for (const [kind, init] of Object.entries({ anonymous: {}, signedIn: { headers } })) {
    await generateClients(join(folder, kind), await (await fetch(`${url}/openapi.json`, init)).text())
  }
  return async () => {
    await stop(1000)
    await rm(folder, { recursive: true, force: true })
  }
})

test('no generator warns of the document', () => {
  expect(warnings.flatMap(({ mock }) => mock.calls)).toEqual([])
})

test('clients of three generators are typed, and refuse what the service refuses', async () => {
  const tsc = join(ROOT, 'node_modules/.bin/tsc')
  const compilerOptions = { typeRoots: [join(ROOT, 'node_modules/@types')] }
  const config = { extends: './signedIn/tsconfig.json', compilerOptions, include: ['*/**/*.ts'] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const { stdout } = await run(tsc, ['-p', folder, '--pretty', 'false']).catch((error) => error)
  expect(stdout).toBe('')
})

test.each([
  [
    'with-openapi-fetch.ts',
    [
      'created Made by a generated client made-by-a-generated-client',
      'listed 1 made-by-a-generated-client',
      'updated Changed by a generated client',
      'refused PRECONDITION_FAILED',
      'deleted 204 NOT_FOUND',
    ],
  ],
  ['with-orval.ts', ['orval 1 Made with orval']],
  ['with-hey-api.ts', ['hey-api 1 Made with hey-api']],
])('%s works', async (program, lines) => {
  const { stdout } = await run(process.execPath, [program], {
    cwd: join(folder, 'signedIn'),
    env: { ...process.env, DAYBOOK_URL: url, DAYBOOK_SERVICE_TOKEN: service.token },
  })
  expect(stdout.trimEnd().split('\n')).toEqual(lines)
})
