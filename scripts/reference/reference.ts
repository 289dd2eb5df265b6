import { fileURLToPath } from 'node:url'
import { apiRoutes } from '../../packages/daybook/test/support/scenarios/routes.ts'
import { type Page, readPages } from '../markdown.ts'
import { actionTable, commandTable, flagTable } from './cli-tables.ts'
import { errorTable } from './error-table.ts'
import { fieldSections } from './field-sections.ts'
import { metricTable } from './metric-table.ts'
import { configTable, type Generation, optionTable } from './option-tables.ts'
import { fillRegions, type Region } from './regions.ts'
import { parameterTable, routeTable } from './route-tables.ts'
import { Sources } from './source.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A page of the docs, as it is and as the code says that it should be. */
export interface GeneratedPage extends Page {
  readonly generated: string
}

/** The generated pages of a checkout, and everything in the code that has no words. */
export interface Reference {
  readonly pages: readonly GeneratedPage[]
  readonly undocumented: readonly string[]
}

type Generate = (region: Region, generation: Generation) => string

/** What the docs can have generated, by the name that stands in the marks around it. */
async function generators(): Promise<Readonly<Record<string, Generate>>> {
  const [routes, metrics] = await Promise.all([apiRoutes(), metricTable()])
  return {
    config: (_region, generation) => configTable(generation),
    options: ({ words: [name = ''] }, generation) => optionTable(name, generation),
    fields: (_region, generation) => fieldSections(generation),
    commands: () => commandTable(),
    actions: ({ words }, generation) => actionTable(words, generation),
    flags: ({ words }, generation) => flagTable(words, generation),
    errors: (_region, generation) => errorTable(generation),
    routes: () => routeTable(routes),
    parameters: () => parameterTable(routes),
    metrics: () => metrics,
  }
}

/**
 * Makes every generated part of the docs anew.
 *
 * @param root the checkout whose pages are read; the code is always that of this one
 * @throws {Error} when a page asks for what there is no generator for
 */
export async function makeReference(root: string): Promise<Reference> {
  const byKind = await generators()
  const sources = readSources()
  const undocumented = new Set<string>()
  const all = await readPages(root)
  const pages = all.map((page) => {
    const generation: Generation = {
      sources,
      target: { file: page.file, pages: all },
      undocumented: (what) => undocumented.add(what),
    }
    const generated = fillRegions(page.text, (region) => {
      const generate = byKind[region.kind]
      if (!generate) throw new Error(`${page.file}: nothing generates "${region.kind}".`)
      return generate(region, generation)
    })
    return { ...page, generated }
  })
  return { pages, undocumented: [...undocumented] }
}

/** The code that the docs are made from. Of several declarations of one name, those of the config and of fields come first. */
const readSources = (): Sources =>
  Sources.read(
    ROOT,
    'packages/daybook/src/config/*.ts',
    'packages/daybook/src/fields/*.ts',
    'packages/daybook/src/**/*.ts',
  )
