import { existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { join, posix, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SECTIONS } from '../docs/.vitepress/sections.ts'
import { HEADER_DESCRIPTIONS } from '../packages/daybook/src/http/contract.ts'
import { REQUEST_HEADERS } from '../packages/daybook/src/http/request-headers.ts'
import {
  cliCommands,
  cliFlags,
  configOptions,
  FIELD_BUILDERS,
  PLUGIN_OPTIONS,
  ROUTE_OPTIONS,
  variables,
} from './documented.ts'
import { blocksOf, codesIn, headingsOf, type Page, proseOf, sectionOf } from './markdown.ts'
import { checkFieldTypes, compare, type DocsFault, namesIn } from './named.ts'
import { checkPictures } from './pictures/check-pictures.ts'
import { commandsWithFlags } from './reference/cli-tables.ts'
import { type Code, type GeneratedPage, makeReference, readCode } from './reference/reference.ts'
import { anchorOf } from './reference/table.ts'

const REFERENCE = 'docs/reference'
/** The checkout whose code the docs are compared with. */
const CHECKOUT = fileURLToPath(new URL('..', import.meta.url))

function checkGenerated({ file, text, generated }: GeneratedPage): readonly DocsFault[] {
  if (text === generated) return []
  const [have, want] = [text.split('\n'), generated.split('\n')]
  const missing = want.find((line) => !have.includes(line))
  const extra = have.find((line) => !want.includes(line))
  const named = missing === undefined ? (extra === undefined ? '' : `: it has "${extra}"`) : `: it lacks "${missing}"`
  return [{ file, message: `is not what the code says${named}. Run npm run reference.` }]
}

/** Finds options that the code takes and the page does not describe. */
function checkConfigPage(text: string): readonly DocsFault[] {
  const file = `${REFERENCE}/config.md`
  return [
    ...compare(file, 'option', namesIn(sectionOf(text, '## Options')), configOptions()),
    ...checkFieldTypes(file, text, FIELD_BUILDERS),
  ]
}

/** Finds headers that the code names and the page does not. Their meaning differs by route, so it is written by hand. */
function checkHeaders(text: string): readonly DocsFault[] {
  const file = `${REFERENCE}/routes.md`
  const findMissing = (section: string, names: readonly string[]): readonly DocsFault[] => {
    const named = namesIn(sectionOf(text, section)).map((name) => name.split(':')[0])
    const missing = names.filter((name) => !named.includes(name))
    return missing.map((name) => ({
      file,
      message: `does not describe the header "${name}" below "${section}". Add it.`,
    }))
  }
  const requestHeaders = Object.values(REQUEST_HEADERS).map(({ name }) => name)
  const responseHeaders = Object.keys(HEADER_DESCRIPTIONS).filter((name) => name !== 'Content-Type')
  return [...findMissing('## Request headers', requestHeaders), ...findMissing('## Response headers', responseHeaders)]
}

function checkPlugins(text: string): readonly DocsFault[] {
  const file = `${REFERENCE}/plugins.md`
  return [
    ...compare(file, 'part of a plugin', namesIn(sectionOf(text, '## Parts of a plugin')), PLUGIN_OPTIONS),
    ...compare(file, 'part of a route', namesIn(sectionOf(text, '## Parts of a route')), ROUTE_OPTIONS),
  ]
}

async function checkCli(text: string, { program }: Code): Promise<readonly DocsFault[]> {
  const file = `${REFERENCE}/cli.md`
  const flags = [...new Set(codesIn(proseOf(text)).flatMap((code) => /^--[a-z-]+/.exec(code)?.[0] ?? []))]
  const commands = headingsOf(text).flatMap((heading) => /^## `daybook (\w+)/.exec(heading)?.[1] ?? [])
  const tables = [...text.matchAll(/^<!-- generated: flags (\w+) -->$/gm)].flatMap(([, name]) => name ?? [])
  return [
    ...compare(file, 'flag', flags, cliFlags(program)),
    ...compare(file, 'command', commands, cliCommands(program)),
    ...compare(file, 'command with flags', tables, commandsWithFlags(program)),
    ...compare(file, 'variable', namesIn(sectionOf(text, '## Environment')), await variables()),
  ]
}

const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g

function checkLinks(root: string, { file, text }: Page, pages: readonly Page[]): readonly DocsFault[] {
  return [...proseOf(text).matchAll(LINK)].flatMap(([, link = '']) => {
    if (/^[a-z]+:/.test(link)) return []
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? file : posix.join(posix.dirname(file), path)
    const page = pages.find((candidate) => candidate.file === target)
    if (!page && !existsSync(resolve(root, target)))
      return [{ file, message: `links to ${link}, which does not exist.` }]
    return hasHeading(page, anchor) ? [] : [{ file, message: `links to ${link}, and there is no such heading.` }]
  })
}

const hasHeading = (page: Page | undefined, anchor: string | undefined): boolean =>
  anchor === undefined || headingsOf(page?.text ?? '').some((heading) => anchorOf(heading) === anchor)

/** Files that name pages in comments and messages. Tests name pages that do not exist. */
const CODE = '{packages/*,examples,bench,deploy,scripts}/**/{*.{ts,tsx,mjs,json,yml,yaml,sh},Dockerfile}'
const EXCLUDED = ['**/node_modules/**', '**/dist/**', 'scripts/test/**']
const NAMED_PAGE = /(?<![\w/.])(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g

/** Finds pages and headings that the code of a checkout names and its docs lack. */
async function checkNamedPages(root: string, pages: readonly Page[]): Promise<readonly DocsFault[]> {
  const faults: DocsFault[] = []
  for await (const path of glob(CODE, { cwd: root, exclude: EXCLUDED })) {
    const text = await readFile(join(root, path), 'utf8')
    for (const [name, file, anchor] of text.matchAll(NAMED_PAGE)) {
      const page = pages.find((candidate) => candidate.file === file)
      if (!page || !hasHeading(page, anchor))
        faults.push({ file: path, message: `names ${name}, which does not exist.` })
    }
  }
  return faults
}

/** Pages for contributors, which name source files. */
const SOURCE_PAGES = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/contributing/internals.md']
const CONTRIBUTORS = 'docs/contributing/'
/** The folders that the names of source files are relative to. */
const BASES = [
  '',
  'packages/daybook/',
  'packages/daybook/src/',
  'packages/daybook/test/',
  'packages/studio/src/app/',
  'bench/',
]
const SOURCE = /^[\w-]+(?:\/[\w-]+)+\.tsx?$/

function checkSources({ file, text }: Page): readonly DocsFault[] {
  const exists = (name: string): boolean => BASES.some((base) => existsSync(join(CHECKOUT, base, name)))
  const named = new Set(codesIn(proseOf(text)).filter((code) => SOURCE.test(code)))
  return [...named]
    .filter((name) => !exists(name))
    .map((name) => ({ file, message: `names ${name}, which does not exist. Write where the file is now.` }))
}

/** The languages of the examples that docs/test runs or compiles. */
const TESTED = ['console', 'ts', 'tsx', 'astro', 'diff']
/** The languages of text that is only read. */
const READ = ['sh', 'text', 'md', 'json', 'html', 'css', 'svg', 'http', 'sql', 'nginx', 'dockerfile']

/** Finds examples that no test runs or compiles, such as a block with another name of TypeScript. */
function checkExamples({ file, text }: Page): readonly DocsFault[] {
  return blocksOf(text)
    .filter(({ language, words }) => ![...TESTED, ...READ].includes(language) && !words.some(isTestedOtherwise))
    .map(({ language, line }) => ({
      file,
      message: `has a block "${language}" on line ${line} that no test runs. Use one of: ${[...TESTED, ...READ].join(', ')}.`,
    }))
}

/** True for a block that equals a tested file, that other blocks use as a file, or that shows the code of another system. */
const isTestedOtherwise = (word: string): boolean => /^(?:from|file|of)=/.test(word)

const SITE = 'docs/.vitepress/sections.ts'

/** Compares the pages of the site with its sidebar. */
function checkSections(pages: readonly Page[]): readonly DocsFault[] {
  const inSidebar = Object.values(SECTIONS)
    .flat()
    .map((page) => `docs/${page}.md`)
  const existing = pages.map(({ file }) => file).filter((file) => /^docs\/.+\//.test(file))
  return compare(SITE, 'page', inSidebar, existing)
}

/** Finds everything that the docs of a checkout lack or have in excess, by the code of this checkout. */
export async function checkDocs(root: string, code: Code): Promise<readonly DocsFault[]> {
  const { pages, undocumented, unplaced } = await makeReference(root, code)
  const text = (name: string): string => pages.find(({ file }) => file === `${REFERENCE}/${name}.md`)?.text ?? ''
  return [
    ...undocumented.map((what) => ({
      file: REFERENCE,
      message: `cannot describe ${what}: it has no doc comment. Write one.`,
    })),
    ...unplaced.map((kind) => ({
      file: REFERENCE,
      message: `has no place for ${kind}. Write <!-- generated: ${kind} --> and <!-- /generated -->.`,
    })),
    ...pages.flatMap(checkGenerated),
    ...checkConfigPage(text('config')),
    ...checkHeaders(text('routes')),
    ...checkPlugins(text('plugins')),
    ...(await checkCli(text('cli'), code)),
    ...pages.flatMap((page) => checkLinks(root, page, pages)),
    ...pages.flatMap(checkExamples),
    ...checkSections(pages),
    ...pages.filter(({ file }) => SOURCE_PAGES.includes(file) || file.startsWith(CONTRIBUTORS)).flatMap(checkSources),
    ...(await checkNamedPages(root, pages)),
    ...(await checkPictures(root, pages)),
  ]
}

if (import.meta.main) {
  const root = resolve(process.argv[2] ?? CHECKOUT)
  const faults = await checkDocs(root, await readCode())
  for (const { file, message } of faults) process.stderr.write(`${file} ${message}\n`)
  process.stdout.write(faults.length === 0 ? 'docs: ok\n' : `docs: ${faults.length} to fix\n`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
