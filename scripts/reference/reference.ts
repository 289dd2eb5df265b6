import { fileURLToPath } from 'node:url'
import type { CliCommand } from '../../packages/daybook/src/cli/command.ts'
import { makeProgram } from '../../packages/daybook/src/cli/program.ts'
import type { Route } from '../../packages/daybook/src/http/contract.ts'
import { apiRoutes } from '../../packages/daybook/test/support/scenarios/routes.ts'
import { type Page, readPages } from '../markdown.ts'
import { commandTable, flagTable } from './cli-tables.ts'
import { errorTable, issueTable, metricTable, operatorTable } from './code-tables.ts'
import { fieldSections } from './field-sections.ts'
import { configTable, type Generation, optionTable } from './option-tables.ts'
import { type CountedRequest, countRequestFiles, type RequestFiles, requestFileTable } from './request-files.ts'
import { parameterTable, routeTable } from './route-tables.ts'
import { Sources } from './source.ts'
import { useTable } from './use-table.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A page of the docs with its text, and the text that the code requires. */
export interface GeneratedPage extends Page {
  readonly generated: string
}

/** The generated pages of a checkout, and the names in the code that have no description. */
export interface Reference {
  readonly pages: readonly GeneratedPage[]
  readonly undocumented: readonly string[]
  /** Kinds of regions that no page has. */
  readonly unplaced: readonly string[]
}

export interface Code {
  /** If a name is declared several times, those of the config and of fields come first. */
  readonly sources: Sources
  readonly routes: readonly Route[]
  readonly program: CliCommand
  /** The table of all metrics. */
  readonly metrics: string
  readonly requestFiles: RequestFiles
}

export async function readCode(): Promise<Code> {
  const [routes, program, metrics] = await Promise.all([apiRoutes(), makeProgram(), metricTable()])
  const requestFiles = await countRequestFiles()
  const folders = ['config/*.ts', 'fields/**/*.ts', '**/*.ts']
  const sources = Sources.read(ROOT, ...folders.map((folder) => `packages/daybook/src/${folder}`))
  return { sources, routes, program, metrics, requestFiles }
}

type Generate = (region: Region, generation: Generation) => string

const generators = ({ routes, program, metrics, requestFiles }: Code): Readonly<Record<string, Generate>> => ({
  config: (_region, generation) => configTable(generation),
  options: ({ words: [name = ''] }, generation) => optionTable(name, generation),
  fields: (_region, generation) => fieldSections(generation),
  uses: () => useTable(),
  operators: () => operatorTable(),
  commands: ({ words }) => commandTable(program, words),
  flags: ({ words }) => flagTable(program, words),
  errors: (_region, generation) => errorTable(generation),
  issues: (_region, generation) => issueTable(generation),
  routes: () => routeTable(routes),
  parameters: () => parameterTable(routes),
  metrics: () => metrics,
  'request-files': ({ words: [request] }) => requestFileTable(requestFiles[request as CountedRequest]),
})

/**
 * Makes every generated region of the docs.
 *
 * @param root the checkout whose pages are read
 * @throws {Error} if a page has a region of an unknown kind
 */
export async function makeReference(root: string, code: Code): Promise<Reference> {
  const byKind = generators(code)
  const undocumented = new Set<string>()
  const unplaced = new Set(Object.keys(byKind))
  const all = await readPages(root)
  const pages = all.map((page) => {
    const generation: Generation = {
      sources: code.sources,
      target: { file: page.file, pages: all },
      undocumented: (what) => undocumented.add(what),
    }
    const generated = fillRegions(page.text, (region) => {
      const generate = byKind[region.kind]
      if (!generate) throw new Error(`${page.file}: nothing generates "${region.kind}".`)
      unplaced.delete(region.kind)
      return generate(region, generation)
    })
    return { ...page, generated }
  })
  return { pages, undocumented: [...undocumented], unplaced: [...unplaced] }
}

/** A generated part of a page. */
interface Region {
  /** The kind of its content, such as `options`. */
  readonly kind: string
  /** The words after the kind, which name the code to describe. */
  readonly words: readonly string[]
}

const REGION = /^(<!-- generated: (.+?) -->\n)[\s\S]*?^(<!-- \/generated -->)$/gm

/** Replaces each region of a page with the text that `generate` returns. */
export function fillRegions(text: string, generate: (region: Region) => string): string {
  return text.replace(REGION, (_whole, start: string, what: string, end: string) => {
    const [kind = '', ...words] = what.split(' ')
    return `${start}\n${generate({ kind, words })}\n\n${end}`
  })
}
