import { existsSync } from 'node:fs'
import { posix, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { knownRoutes } from '../packages/daybook/test/support/scenarios/routes.ts'
import {
  cliCommands,
  cliFlags,
  configOptions,
  errorCodes,
  FIELD_BUILDERS,
  metricNames,
  PLUGIN_OPTIONS,
  ROUTE_OPTIONS,
  variables,
} from './documented.ts'
import { codesIn, headingsOf, type Page, proseOf, readPages, rowsOf, sectionOf } from './markdown.ts'
import { checkFieldTypes, compare, type DocsFault, namesIn } from './named.ts'

const REFERENCE = 'docs/reference'

function checkErrors(text: string): readonly DocsFault[] {
  const named = rowsOf(sectionOf(text, '## Codes')).map(([code, status]) => `${codesIn(code)[0]} ${status}`)
  return compare(`${REFERENCE}/errors.md`, 'error', named, errorCodes())
}

async function checkRoutes(text: string): Promise<readonly DocsFault[]> {
  return compare(`${REFERENCE}/routes.md`, 'route', namesIn(sectionOf(text, '## All routes')), await knownRoutes())
}

function checkConfigPage(text: string): readonly DocsFault[] {
  const file = `${REFERENCE}/config.md`
  return [
    ...compare(file, 'option', namesIn(sectionOf(text, '## Options')), configOptions()),
    ...checkFieldTypes(file, text, FIELD_BUILDERS),
  ]
}

function checkPlugins(text: string): readonly DocsFault[] {
  const file = `${REFERENCE}/plugins.md`
  return [
    ...compare(file, 'part of a plugin', namesIn(sectionOf(text, '## Parts of a plugin')), PLUGIN_OPTIONS),
    ...compare(file, 'part of a route', namesIn(sectionOf(text, '## Parts of a route')), ROUTE_OPTIONS),
  ]
}

async function checkCli(text: string): Promise<readonly DocsFault[]> {
  const file = `${REFERENCE}/cli.md`
  const flags = [...new Set(namesIn(text).flatMap((name) => /^--[a-z-]+/.exec(name)?.[0] ?? []))]
  const commands = headingsOf(text).flatMap((heading) => /^## `daybook (\w+)/.exec(heading)?.[1] ?? [])
  return [
    ...compare(file, 'flag', flags, await cliFlags()),
    ...compare(file, 'command', commands, cliCommands()),
    ...compare(file, 'variable', namesIn(sectionOf(text, '## Environment')), await variables()),
  ]
}

async function checkMetrics(text: string): Promise<readonly DocsFault[]> {
  return compare(`${REFERENCE}/metrics.md`, 'metric', namesIn(sectionOf(text, '## All metrics')), await metricNames())
}

/** The anchor that a heading gets on the web. */
function anchorOf(heading: string): string {
  const text = heading.replace(/^#+ /, '').toLowerCase()
  return text.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')
}

const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g

function checkLinks(root: string, { file, text }: Page, pages: readonly Page[]): readonly DocsFault[] {
  return [...proseOf(text).matchAll(LINK)].flatMap(([, link = '']) => {
    if (/^[a-z]+:/.test(link)) return []
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? file : posix.join(posix.dirname(file), path)
    const page = pages.find((one) => one.file === target)
    if (!page && !existsSync(resolve(root, target))) return [{ file, message: `links to ${link}, which is not there.` }]
    const isFound =
      anchor === undefined ||
      headingsOf(page?.text ?? '')
        .map(anchorOf)
        .includes(anchor)
    return isFound ? [] : [{ file, message: `links to ${link}, and there is no such heading.` }]
  })
}

/** Everything that the docs of a checkout lack, or have too much. */
async function checkDocs(root: string): Promise<readonly DocsFault[]> {
  const pages = await readPages(root)
  const text = (name: string): string => pages.find(({ file }) => file === `${REFERENCE}/${name}.md`)?.text ?? ''
  return [
    ...checkErrors(text('errors')),
    ...(await checkRoutes(text('routes'))),
    ...checkConfigPage(text('config')),
    ...checkPlugins(text('plugins')),
    ...(await checkCli(text('cli'))),
    ...(await checkMetrics(text('metrics'))),
    ...pages.flatMap((page) => checkLinks(root, page, pages)),
  ]
}

const docsFaults = await checkDocs(resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url))))
for (const { file, message } of docsFaults) process.stderr.write(`${file} ${message}\n`)
process.stdout.write(docsFaults.length === 0 ? 'docs: ok\n' : `docs: ${docsFaults.length} to mend\n`)
process.exitCode = docsFaults.length === 0 ? 0 : 1
