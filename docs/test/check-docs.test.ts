import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readPages } from '../../scripts/markdown.ts'
import { type Outcome, ROOT, run } from './site.ts'

const SCRIPT = join(ROOT, 'scripts/check-docs.ts')

/** What pages link to besides each other. */
const LINKED = ['LICENSE', 'examples/blog/daybook.config.ts', 'deploy', 'bench/README.md', 'bench/results']

/** Runs the check on a copy of the docs in which one text is replaced. */
async function checkWith(file: string, shown: string, instead: string): Promise<Outcome> {
  const copy = await mkdtemp(join(tmpdir(), 'daybook-docs-'))
  onTestFinished(() => rm(copy, { recursive: true, force: true }))
  const pages = (await readPages(ROOT)).map((page) => page.file)
  for (const one of [...pages, ...LINKED]) await cp(join(ROOT, one), join(copy, one), { recursive: true })
  const text = await readFile(join(copy, file), 'utf8')
  expect(text).toContain(shown)
  await writeFile(join(copy, file), text.replace(shown, instead))
  return run(process.execPath, ['--disable-warning=ExperimentalWarning', SCRIPT, copy], ROOT)
}

test('the docs describe what there is', async () => {
  const { status, stderr } = await checkWith('README.md', 'Daybook', 'Daybook')
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

test.each([
  ['an error code', 'errors.md', '| `CONFLICT` | 409 |', '| CONFLICT | 409 |', '`CONFLICT` | 409'],
  ['the status of an error', 'errors.md', '| `CONFLICT` | 409 |', '| `CONFLICT` | 408 |', '`CONFLICT` | 409'],
  ['a route', 'routes.md', '| `DELETE /api/:collection/:id` |', '| `DELETE /api/:collections/:id` |', 'DELETE /api/'],
  ['a parameter', 'routes.md', '| `cursor` |', '| `curser` |', '`cursor`'],
  ['a header of a request', 'routes.md', '| `Idempotency-Key` |', '| `Idempotence-Key` |', '"Idempotency-Key"'],
  ['a header of an answer', 'routes.md', '| `Location` |', '| Location |', '"Location"'],
  ['a field type', 'config.md', '### `f.date(options?)`', '### A date', 'the field type "date"'],
  [
    'the meaning of an option',
    'config.md',
    'The largest value allowed.',
    'The largest value.',
    'Run npm run reference',
  ],
  ['an option of a field', 'config.md', '| `pattern` |', '| `patern` |', 'option of f.text() "pattern"'],
  ['an option of the config', 'config.md', '| `limits.renderMs` |', '| `limits.ms` |', 'limits.renderMs'],
  ['a flag', 'cli.md', '| `--allow-loss` |', '| allow-loss |', '--allow-loss'],
  ['a command', 'cli.md', '## `daybook migrate`', '## Migrating', 'the command "migrate"'],
  ['a metric', 'metrics.md', '| `daybook_journal_seq` |', '| `daybook_journal` |', '`daybook_journal_seq`'],
  ['a variable', 'cli.md', '| `DAYBOOK_LOG` |', '| `DAYBOOK_LOGS` |', 'DAYBOOK_LOG'],
])('a reference without %s fails', async (_what, page, shown, instead, said) => {
  const { status, stderr } = await checkWith(`docs/reference/${page}`, shown, instead)
  expect(status).toBe(1)
  expect(stderr).toContain(said)
})

test.each([
  ['a flag', 'cli.md', '| `--allow-loss` |', '| `--allow-everything` | |\n| `--allow-loss` |', '--allow-everything'],
  ['an error', 'errors.md', '| `CONFLICT` |', '| `TEAPOT` | 418 | |\n| `CONFLICT` |', '`TEAPOT` | 418'],
])('a reference with %s that does not exist fails', async (_what, page, shown, instead, said) => {
  const { status, stderr } = await checkWith(`docs/reference/${page}`, shown, instead)
  expect(status).toBe(1)
  expect(stderr).toContain(said)
})

test.each([
  ['page', '(docs/running.md)', '(docs/walking.md)'],
  ['heading', '(docs/running.md)', '(docs/running.md#on-water)'],
])('a link to a %s that is not there fails', async (_what, shown, instead) => {
  const { status, stderr } = await checkWith('README.md', shown, instead)
  expect(status).toBe(1)
  expect(stderr).toContain(instead.slice(1, -1))
})
