import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { checkDocs } from '../../scripts/check-docs.ts'
import { readPages } from '../../scripts/markdown.ts'
import { readCode } from '../../scripts/reference/reference.ts'
import { type Outcome, ROOT, run } from './site.ts'

const SCRIPT = join(ROOT, 'scripts/check-docs.ts')

/** Files that pages link to. */
const LINKED = [
  'LICENSE',
  'examples/blog/daybook.config.ts',
  'examples/generated-client/package.json',
  'examples/magazine/README.md',
  'deploy',
  'docs/pictures',
  'bench/README.md',
  'bench/results',
]

const code = await readCode()

let copy: string
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'daybook-docs-'))
  const pages = (await readPages(ROOT)).map((page) => page.file)
  for (const file of [...pages, ...LINKED]) await cp(join(ROOT, file), join(copy, file), { recursive: true })
  return () => rm(copy, { recursive: true, force: true })
})

/** Replaces a text of the copy until the test ends. */
async function change(file: string, shown: string, instead: string): Promise<void> {
  const text = await readFile(join(copy, file), 'utf8')
  expect(text).toContain(shown)
  onTestFinished(() => writeFile(join(copy, file), text))
  await writeFile(join(copy, file), text.replace(shown, instead))
}

/** Checks such a copy. Returns a line for each fault. */
async function faultsWith(file: string, shown: string, instead: string): Promise<readonly string[]> {
  await change(file, shown, instead)
  return (await checkDocs(copy, code)).map((fault) => `${fault.file} ${fault.message}`)
}

const runCheck = (): Promise<Outcome> =>
  run(process.execPath, ['--disable-warning=ExperimentalWarning', SCRIPT, copy], ROOT)

test('the docs match the code', async () => {
  const { status, stderr } = await runCheck()
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

test('each fault is a line on standard error, and the status is 1', async () => {
  await change('README.md', '(docs/guides/running.md)', '(docs/walking.md)')
  const { status, stderr } = await runCheck()
  expect(status).toBe(1)
  expect(stderr).toMatch(/^README\.md links to docs\/walking\.md, which does not exist\.$/m)
})

test.each([
  ['an error code', 'errors.md', '| `CONFLICT` | 409 |', '| CONFLICT | 409 |', '`CONFLICT` | 409'],
  ['the status of an error', 'errors.md', '| `CONFLICT` | 409 |', '| `CONFLICT` | 408 |', '`CONFLICT` | 409'],
  ['a route', 'routes.md', '| `DELETE /api/:collection/:id` |', '| `DELETE /api/:collections/:id` |', 'DELETE /api/'],
  ['a parameter', 'routes.md', '| `cursor` |', '| `curser` |', '`cursor`'],
  ['a header of a request', 'routes.md', '| `Idempotency-Key` |', '| `Idempotence-Key` |', '"Idempotency-Key"'],
  ['a response header', 'routes.md', '| `Location` |', '| Location |', '"Location"'],
  ['a field type', 'config.md', '### `f.date(options?)`', '### A date', 'the field type "date"'],
  ['the meaning of an option', 'config.md', 'The maximum value.', 'The greatest value.', 'Run npm run reference'],
  ['an option of a field', 'config.md', '| `pattern` |', '| `patern` |', 'option of f.text() "pattern"'],
  ['an option of the config', 'config.md', '| `limits.renderMs` |', '| `limits.ms` |', 'limits.renderMs'],
  ['a flag', 'cli.md', '| `--allow-loss` |', '| allow-loss |', '--allow-loss'],
  ['a command', 'cli.md', '## `daybook migrate`', '## Migrating', 'the command "migrate"'],
  ['a metric', 'metrics.md', '| `daybook_journal_seq` |', '| `daybook_journal` |', '`daybook_journal_seq`'],
  ['a mark', 'metrics.md', '<!-- generated: metrics -->', '', 'has no place for metrics'],
  ['the end of a mark', 'errors.md', '<!-- /generated -->', '', 'has no place for issues'],
  ['a variable', 'cli.md', '| `DAYBOOK_LOG` |', '| `DAYBOOK_LOGS` |', 'DAYBOOK_LOG'],
])('a reference without %s fails', async (_what, page, shown, instead, said) => {
  const faults = await faultsWith(`docs/reference/${page}`, shown, instead)
  expect(faults).toContainEqual(expect.stringContaining(said))
})

test.each([
  ['a flag', 'cli.md', '| `--allow-loss` |', '| `--allow-everything` | |\n| `--allow-loss` |', '--allow-everything'],
  ['an error', 'errors.md', '| `CONFLICT` |', '| `TEAPOT` | 418 | |\n| `CONFLICT` |', '`TEAPOT` | 418'],
])('a reference with %s that does not exist fails', async (_what, page, shown, instead, said) => {
  const faults = await faultsWith(`docs/reference/${page}`, shown, instead)
  expect(faults).toContainEqual(expect.stringContaining(said))
})

test.each([
  ['page', '(docs/guides/running.md)', '(docs/walking.md)'],
  ['heading', '(docs/guides/running.md)', '(docs/guides/running.md#on-water)'],
])('a link to a missing %s fails', async (_what, shown, instead) => {
  const faults = await faultsWith('README.md', shown, instead)
  expect(faults).toContainEqual(expect.stringContaining(instead.slice(1, -1)))
})

test('an example that no test runs fails', async () => {
  const faults = await faultsWith('docs/guides/hooks.md', '```ts', '```typescript')
  expect(faults).toContainEqual(expect.stringMatching(/^docs\/guides\/hooks\.md has a block "typescript" on line \d+/))
})

test('a page outside of the sidebar fails', async () => {
  const file = join(copy, 'docs/guides/new-page.md')
  onTestFinished(() => rm(file))
  await writeFile(file, '# A new page\n')
  expect(await checkDocs(copy, code)).toEqual([
    { file: 'docs/.vitepress/sections.ts', message: 'does not describe the page "docs/guides/new-page.md". Add it.' },
  ])
})

test.each([
  ['page', 'docs/walking.md'],
  ['heading', 'docs/guides/running.md#on-water'],
])('code that names a missing %s fails', async (_what, place) => {
  const file = 'examples/blog/daybook.config.ts'
  expect(await faultsWith(file, 'import ', `// See ${place}.\nimport `)).toEqual([
    `${file} names ${place}, which does not exist.`,
  ])
})

test('a missing source file fails', async () => {
  const faults = await faultsWith('ARCHITECTURE.md', '`http/contract.ts`', '`http/contractor.ts`')
  expect(faults).toContainEqual(expect.stringContaining('ARCHITECTURE.md names http/contractor.ts'))
})

test.each([
  [
    'that is not there',
    '(../pictures/studio/list.webp)',
    '(../pictures/studio/lists.webp)',
    'lists.webp, which does not exist',
  ],
  [
    'that no page shows',
    '(../pictures/studio/list.webp)',
    '(../pictures/studio/filter.webp)',
    'studio/list.webp is shown on no',
  ],
  [
    'that is not described',
    '![The page "Sign in"',
    '![](../pictures/studio/sign-in.webp) [The page',
    'without saying what it',
  ],
])('a picture %s fails', async (_what, shown, instead, said) => {
  const faults = await faultsWith('docs/guides/studio-for-editors.md', shown, instead)
  expect(faults).toContainEqual(expect.stringContaining(said))
})

test('a picture that is too large fails', async () => {
  const file = join(copy, 'docs/pictures/studio/list.webp')
  const bytes = await readFile(file)
  onTestFinished(() => writeFile(file, bytes))
  await writeFile(file, Buffer.alloc(70_000))
  const faults = await checkDocs(copy, code)
  expect(faults).toEqual([{ file: 'docs/pictures/studio/list.webp', message: 'has more than 61440 bytes.' }])
})
