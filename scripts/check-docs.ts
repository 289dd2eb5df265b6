import { existsSync } from 'node:fs'
import { posix, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  cliCommands,
  cliFlags,
  configOptions,
  errorCodes,
  fieldOptions,
  metricNames,
  routes,
  variables,
} from './documented.ts'
import { codesIn, headingsOf, type Page, proseOf, readPages, rowsOf, sectionOf } from './markdown.ts'

/** One thing to mend in the docs. */
interface Fault {
  readonly file: string
  readonly message: string
}

const REFERENCE = 'docs/reference'

/** Compares what a page names with what there is, both ways. */
function compare(file: string, what: string, named: readonly string[], there: readonly string[]): readonly Fault[] {
  const missing = there.filter((one) => !named.includes(one))
  const extra = named.filter((one) => !there.includes(one))
  return [
    ...missing.map((one) => ({ file, message: `does not describe the ${what} "${one}". Add it.` })),
    ...extra.map((one) => ({ file, message: `describes the ${what} "${one}", and there is none. Take it out.` })),
  ]
}

/** All that stands in backticks in the first cells of a text's tables. */
function namesIn(text: string): readonly string[] {
  return rowsOf(text).flatMap(([cell]) => codesIn(cell))
}

function checkErrors(text: string): readonly Fault[] {
  const named = rowsOf(sectionOf(text, '## Codes')).map(([code, status]) => `${codesIn(code)[0]} ${status}`)
  return compare(`${REFERENCE}/errors.md`, 'error', named, errorCodes())
}

function checkRoutes(text: string): readonly Fault[] {
  return compare(`${REFERENCE}/routes.md`, 'route', namesIn(sectionOf(text, '## All routes')), routes())
}

function checkConfigPage(text: string): readonly Fault[] {
  const file = `${REFERENCE}/config.md`
  const options = fieldOptions()
  const sections = headingsOf(text).flatMap((heading) => {
    const name = /^### `f\.(\w+)\(/.exec(heading)?.[1]
    return name === undefined ? [] : [{ name, named: namesIn(sectionOf(text, heading)) }]
  })
  return [
    ...compare(file, 'option', namesIn(sectionOf(text, '## Options')), configOptions()),
    ...compare(
      file,
      'field type',
      sections.map(({ name }) => name),
      [...options.keys()],
    ),
    ...sections.flatMap(({ name, named }) => compare(file, `option of f.${name}()`, named, options.get(name) ?? [])),
  ]
}

async function checkCli(text: string): Promise<readonly Fault[]> {
  const file = `${REFERENCE}/cli.md`
  const flags = [...new Set(namesIn(text).flatMap((name) => /^--[a-z-]+/.exec(name)?.[0] ?? []))]
  const commands = headingsOf(text).flatMap((heading) => /^## `daybook (\w+)/.exec(heading)?.[1] ?? [])
  return [
    ...compare(file, 'flag', flags, await cliFlags()),
    ...compare(file, 'command', commands, cliCommands()),
    ...compare(file, 'variable', namesIn(sectionOf(text, '## Environment')), await variables()),
  ]
}

async function checkMetrics(text: string): Promise<readonly Fault[]> {
  return compare(`${REFERENCE}/metrics.md`, 'metric', namesIn(sectionOf(text, '## All metrics')), await metricNames())
}

/** The anchor that a heading gets on the web. */
function anchorOf(heading: string): string {
  const text = heading.replace(/^#+ /, '').toLowerCase()
  return text.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')
}

const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g

function checkLinks(root: string, { file, text }: Page, pages: readonly Page[]): readonly Fault[] {
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
async function checkDocs(root: string): Promise<readonly Fault[]> {
  const pages = await readPages(root)
  const text = (name: string): string => pages.find(({ file }) => file === `${REFERENCE}/${name}.md`)?.text ?? ''
  return [
    ...checkErrors(text('errors')),
    ...checkRoutes(text('routes')),
    ...checkConfigPage(text('config')),
    ...(await checkCli(text('cli'))),
    ...(await checkMetrics(text('metrics'))),
    ...pages.flatMap((page) => checkLinks(root, page, pages)),
  ]
}

const faults = await checkDocs(resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url))))
for (const { file, message } of faults) process.stderr.write(`${file} ${message}\n`)
process.stdout.write(faults.length === 0 ? 'docs: ok\n' : `docs: ${faults.length} to mend\n`)
process.exitCode = faults.length === 0 ? 0 : 1
