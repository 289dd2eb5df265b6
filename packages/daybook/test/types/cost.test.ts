import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../../..')
const TSC = join(ROOT, 'node_modules/.bin/tsc')
const run = promisify(execFile)

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-types-'))
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  await cp(join(import.meta.dirname, 'showcase.ts'), join(folder, 'showcase.ts'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
})

afterAll(() => rm(folder, { recursive: true, force: true }))

/** How often the compiler instantiates a type while it checks this program. */
async function countInstantiations(source: string): Promise<number> {
  await writeFile(join(folder, 'main.ts'), source)
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.base.json'),
      compilerOptions: { noEmit: true, typeRoots: [join(ROOT, 'node_modules/@types')] },
      files: ['main.ts', join(ROOT, 'packages/daybook/src/untyped-packages.d.ts')],
    }),
  )
  const { stdout } = await run(TSC, ['-p', folder, '--extendedDiagnostics', '--singleThreaded'])
  return Number(/^Instantiations:\s+(\d+)/m.exec(stdout)?.[1])
}

test('the types of a config with every field type stay cheap', async () => {
  const floor = await countInstantiations("import 'daybook'")
  const config = await countInstantiations("import './showcase.ts'")
  const uses = await countInstantiations(`
    import type { Content, Entry, EntryCreate, EntryUpdate, GlobalEntry, GlobalUpdate } from 'daybook'
    import type { Showcase } from './showcase.ts'
    export type All = [
      Entry<Showcase, 'things'>, EntryCreate<Showcase, 'things'>, EntryUpdate<Showcase, 'things'>,
      Entry<Showcase, 'pages'>, EntryCreate<Showcase, 'pages'>, EntryUpdate<Showcase, 'pages'>,
      GlobalEntry<Showcase, 'site'>, GlobalUpdate<Showcase, 'site'>,
    ]
    export const use = async (content: Content<Showcase>) => {
      const [first] = (await content.list('things')).items
      return first?.parts.map((part) => part._type)
    }
    export const read = (all: All) => all[0].group
  `)
  // Three quarters of it type the functions among the options, such as validators and defaults, without annotations.
  expect(config - floor, 'instantiations for a config of 44 fields').toBeLessThan(20_000)
  expect(uses - config, 'instantiations for reading its types').toBeLessThan(10_000)
})
