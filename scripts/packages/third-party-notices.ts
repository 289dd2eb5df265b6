import { glob, readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findDocsSources, SCALAR_ENTRY } from '../../packages/daybook/src/http/docs/docs-files.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The package whose built scripts, with all that they are made of, the docs page consists of. */
const DOCS_PAGE = 'node_modules/@scalar/api-reference'

/** Where the package that holds the notices has them. */
export const NOTICES_FILE = 'THIRD-PARTY-NOTICES'

/** One licence text, with the packages that it is of. */
interface Notice {
  readonly packages: readonly string[]
  readonly text: string
}

/** A package, as the lockfile and its own manifest know it. */
interface Package {
  readonly name: string
  readonly version?: string
  readonly license?: string
  readonly author?: string | { readonly name: string }
  readonly dependencies?: object
}

/** Packages that are in the scripts and not installed beside them; both have the MIT License. */
const NOT_INSTALLED: readonly Package[] = [
  { name: 'tailwindcss', license: 'MIT', author: 'Tailwind Labs, Inc.' },
  { name: 'unist-util-find-after', license: 'MIT', author: 'Titus Wormer <tituswormer@gmail.com>' },
]

const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)\b/i

/**
 * The notices of all packages whose code the built package `daybook` holds.
 *
 * @param bundled the folders of those in the bundle, below the checkout; those of the docs page are known
 */
export async function noticesWithDocsPage(bundled: readonly string[]): Promise<string> {
  const folders = [...bundled, ...(await docsPageFolders())]
  return thirdPartyNotices(folders, 'in its bundle and in the docs page (http/docs/files)', NOT_INSTALLED)
}

/**
 * The notices of packages whose code a built package holds: their licences ask for them in each copy.
 *
 * @param folders of those packages, below the checkout
 * @param where the built package has their code
 * @param others packages that are not installed beside
 */
export async function thirdPartyNotices(
  folders: readonly string[],
  where: string,
  others: readonly Package[] = [],
): Promise<string> {
  const notices = [
    ...(await Promise.all([...new Set(folders)].sort().map(noticeOf))),
    ...(await Promise.all(others.map(writtenNotice))),
  ]
  const byText = Map.groupBy(notices, ({ text }) => text)
  const parts = [...byText].map(([text, own]) => `${own.flatMap(({ packages }) => packages).join(', ')}\n\n${text}`)
  return [`This package contains code of the packages below, ${where}, under these licences.\n`, ...parts].join(
    `\n${'-'.repeat(80)}\n\n`,
  )
}

/** The names of the packages whose code the scripts hold, as far as their source maps tell. */
export async function bundledNames(): Promise<ReadonlySet<string>> {
  const entry = (await findDocsSources()).get(SCALAR_ENTRY) ?? ''
  const names = new Set<string>()
  for await (const map of glob(['standalone.esm.js.map', 'chunks/*.js.map'], { cwd: dirname(entry) })) {
    const { sources } = JSON.parse(await readFile(join(dirname(entry), map), 'utf8')) as {
      readonly sources: readonly string[]
    }
    for (const source of sources) {
      const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1]
      if (name !== undefined) names.add(name)
    }
  }
  return names
}

/** The folders of the docs page's package and of all that it depends on. */
async function docsPageFolders(): Promise<readonly string[]> {
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Package>>
  }
  const found = new Set([DOCS_PAGE])
  // What is added meanwhile is visited, too.
  for (const folder of found)
    for (const name of Object.keys(packages[folder]?.dependencies ?? {})) found.add(folderOf(name, folder, packages))
  return [...found].sort()
}

/** Where a package finds another one: beside its own dependencies, or further out. */
function folderOf(name: string, from: string, packages: Readonly<Record<string, unknown>>): string {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf('/node_modules/')))) {
    const folder = join(place, 'node_modules', name)
    if (Object.hasOwn(packages, folder)) return folder
    if (place === '') throw new Error(`${from} depends on ${name}, which the lockfile does not have. Run: npm install`)
  }
}

async function noticeOf(folder: string): Promise<Notice> {
  const home = join(ROOT, folder)
  const manifest: Package = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'))
  const files = (await readdir(home, { withFileTypes: true })).filter(
    (one) => one.isFile() && LICENSE_FILE.test(one.name),
  )
  if (files.length === 0) return writtenNotice(manifest)
  const texts = await Promise.all(files.map(({ name }) => readFile(join(home, name), 'utf8')))
  return { packages: [titleOf(manifest)], text: texts.map((text) => `${text.trim()}\n`).join('\n') }
}

const titleOf = ({ name, version }: Package): string => (version === undefined ? name : `${name} ${version}`)

/** The notice of a package that ships no licence text: the MIT License has one text for all. */
async function writtenNotice(one: Package): Promise<Notice> {
  const { name, license, author = `the authors of ${name}` } = one
  if (license !== 'MIT')
    throw new Error(
      `${name} has the licence ${license} and no text of it. Add it to scripts/packages/third-party-notices.ts`,
    )
  const holder = typeof author === 'string' ? author : author.name
  const mit = await readFile(join(ROOT, 'LICENSE'), 'utf8')
  return { packages: [titleOf(one)], text: mit.replace(/^Copyright .*$/m, `Copyright (c) ${holder}`) }
}
