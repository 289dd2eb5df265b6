import { glob, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { issueTable } from '../reference/code-tables.ts'
import { configTable, type Generation, optionTable } from '../reference/option-tables.ts'
import { optionsOf } from '../reference/options.ts'
import { fillRegions, readCode } from '../reference/reference.ts'
import { Source, Sources } from '../reference/source.ts'

const PAGES = [
  { file: 'docs/reference/config.md', text: '# Config' },
  { file: 'docs/guides/running.md', text: '# Running\n\n## Limit overload\n' },
]

/** Options from the text of a file, and what is said to be missing. */
function generationOf(code: string, file = 'options.ts'): Generation & { readonly missing: readonly string[] } {
  const missing: string[] = []
  return {
    sources: new Sources([new Source(file, code)]),
    target: { file: 'docs/reference/config.md', pages: PAGES },
    undocumented: (what) => missing.push(what),
    missing,
  }
}

const rowsOf = (table: string): readonly string[] => table.split('\n').slice(2)

test('a doc comment becomes the row of its option: meaning, default and link', () => {
  const generation = generationOf(`
    export interface Options {
      /**
       * The most requests
       * that wait. @default 1,000
       * @see docs/guides/running.md#limit-overload
       */
      readonly pending?: number
      /** Who serves; \`a|b\` splits. */
      readonly name: string
    }
  `)
  expect(rowsOf(optionTable('Options', generation))).toEqual([
    '| `pending` | number | 1,000 | The most requests that wait. See [Limit overload](../guides/running.md#limit-overload). |',
    '| `name` | string | needed | Who serves; `a\\|b` splits. |',
  ])
  expect(generation.missing).toEqual([])
})

test('an option without a doc comment of its own is reported', () => {
  const generation = generationOf(
    'export interface Options { /** One. */ readonly one?: string; readonly two?: string }',
  )
  optionTable('Options', generation)
  expect(generation.missing).toEqual(['the option two of Options'])
})

test('a link to a missing heading throws', () => {
  const generation = generationOf('interface Options { /** One. @see docs/guides/running.md#on-water */ one: string }')
  expect(() => optionTable('Options', generation)).toThrow('docs/guides/running.md#on-water')
})

test.each([
  ['string', 'string'],
  ['readonly string[]', 'string[]'],
  ['string | readonly string[] | undefined', 'string or string[]'],
  ["'a' | 'b' | ((x: string) => void)", "`'a'`, `'b'` or function"],
  ['Rule', 'function'],
  ['Kind', "`'open'` or `'closed'`"],
  ['Readonly<Record<string, string>>', 'object'],
  ['{ readonly read: boolean }', 'object'],
  ['unknown', 'any'],
  ['URL | false', 'URL or `false`'],
])('the type %s is printed as %s', (type, shown) => {
  const generation = generationOf(`
    type Rule = (request: object) => boolean
    type Kind = 'open' | 'closed'
    interface Options { /** It. */ readonly it?: ${type} }
  `)
  expect(rowsOf(optionTable('Options', generation))).toEqual([`| \`it\` | ${shown} | | It. |`])
})

test('the code of an issue becomes a row with its params, and each needs a description', () => {
  const generation = generationOf(`
    interface IssueParams {
      /** Too long. @param limit the most @param unit bytes or characters */
      readonly long: { readonly limit: number } | { readonly limit: number; readonly unit: string } | undefined
      readonly short: { readonly limit: number }
    }
  `)
  expect(rowsOf(issueTable(generation))).toEqual([
    '| `long` | Too long. | `limit`: the most; `unit`: bytes or characters |',
    '| `short` | | |',
  ])
  expect(generation.missing).toEqual(['the issue short', 'limit of the issue short'])
  const outdated = generationOf('interface IssueParams { /** Gone. @param limit the most */ gone: undefined }')
  expect(() => issueTable(outdated)).toThrow('The issue gone has no limit.')
})

test('every code of an issue in the sources is in the table', async () => {
  const codes = new Set(optionsOf('IssueParams', (await readCode()).sources).map(({ name }) => name))
  const unknown: string[] = []
  for await (const file of glob('packages/daybook/src/**/*.ts')) {
    const source = await readFile(file, 'utf8')
    for (const [, code = ''] of source.matchAll(/\bpath: [^,]+, code: '(\w+)'/g))
      if (!codes.has(code)) unknown.push(code)
  }
  expect(unknown).toEqual([])
})

test('the table of the config has the options of every nested interface', () => {
  const generation = generationOf(
    `
    interface DaybookConfig {
      /** By key. */ readonly collections: Readonly<Record<string, Collection>>
      /** In order. */ readonly plugins?: readonly Plugin[]
      /** Theirs. */ readonly auth?: Elsewhere | Accounts
      /** Runs. */ readonly seed?: (content: Collection) => void
    }
    interface Collection { /** The most. */ readonly max?: number }
    interface Plugin { /** Its name. */ readonly name: string }
    interface Accounts { /** Whether. */ readonly open?: boolean }
  `,
    'packages/daybook/src/config/config.ts',
  )
  const named = rowsOf(configTable(generation)).map((row) => row.split('`')[1])
  expect(named).toEqual(['collections', 'collections.*.max', 'plugins', 'auth', 'auth.open', 'seed'])
})

test('only the text between marks is replaced', () => {
  const page = 'Before.\n\n<!-- generated: options A -->\n\nold\n\n<!-- /generated -->\n\nAfter.\n'
  const filled = fillRegions(page, ({ kind, words }) => `${kind} of ${words.join()}`)
  expect(filled).toBe(page.replace('old', 'options of A'))
  expect(fillRegions(filled, () => 'options of A')).toBe(filled)
})
