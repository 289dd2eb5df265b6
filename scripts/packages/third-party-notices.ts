import { glob, readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findDocsSources, SCALAR_ENTRY } from '../../packages/daybook/src/http/docs/docs-files.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The package whose built scripts are the docs page. */
const DOCS_PAGE = 'node_modules/@scalar/api-reference'

export const NOTICES_FILE = 'THIRD-PARTY-NOTICES'

interface Notice {
  readonly packages: readonly string[]
  readonly text: string
}

interface Package {
  readonly name: string
  readonly version?: string
  readonly license?: string
  readonly author?: string | { readonly name: string }
  readonly dependencies?: object
}

/** Packages inside the scripts of the docs page that are not installed; both have the MIT License. */
const NOT_INSTALLED: readonly Package[] = [
  { name: 'tailwindcss', license: 'MIT', author: 'Tailwind Labs, Inc.' },
  { name: 'unist-util-find-after', license: 'MIT', author: 'Titus Wormer <tituswormer@gmail.com>' },
]

const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)\b/i

/**
 * Returns the notices of all packages whose code the built package `daybook` contains.
 *
 * @param bundled the folders of the packages in the bundle, below the checkout; those of the docs page are added
 */
export async function noticesWithDocsPage(bundled: readonly string[]): Promise<string> {
  const folders = [...bundled, ...(await findDocsPageFolders())]
  return thirdPartyNotices(folders, 'in its bundle and in the docs page (http/docs/files)', NOT_INSTALLED)
}

/**
 * Returns the notices of packages whose code a built package contains. Their licences require them in each copy.
 *
 * @param folders the folders of those packages, below the checkout
 * @param where the place of their code in the built package
 * @param notInstalled packages without a folder
 */
export async function thirdPartyNotices(
  folders: readonly string[],
  where: string,
  notInstalled: readonly Package[] = [],
): Promise<string> {
  const notices = [
    ...(await Promise.all([...new Set(folders)].sort().map(readNotice))),
    ...(await Promise.all(notInstalled.map(makeMitNotice))),
  ]
  const byText = Map.groupBy(notices, ({ text }) => text)
  const parts = [...byText].map(([text, group]) => `${group.flatMap(({ packages }) => packages).join(', ')}\n\n${text}`)
  return [`This package contains code of the packages below, ${where}, under these licences.\n`, ...parts].join(
    `\n${'-'.repeat(80)}\n\n`,
  )
}

/** Finds the names of the packages inside the docs page's scripts, from their source maps. */
export async function findBundledNames(): Promise<ReadonlySet<string>> {
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

/** Finds the folders of the docs page's package and of all its dependencies. */
async function findDocsPageFolders(): Promise<readonly string[]> {
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Package>>
  }
  const folders = new Set([DOCS_PAGE])
  // The loop also visits the folders that it adds.
  for (const folder of folders)
    for (const name of Object.keys(packages[folder]?.dependencies ?? {}))
      folders.add(findFolder(name, folder, packages))
  return [...folders].sort()
}

/** Finds the folder of a dependency: inside the package, or further out. */
function findFolder(name: string, from: string, packages: Readonly<Record<string, unknown>>): string {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf('/node_modules/')))) {
    const folder = join(place, 'node_modules', name)
    if (Object.hasOwn(packages, folder)) return folder
    if (place === '')
      throw new Error(`${from} depends on ${name}, which is missing from the lockfile. Run npm install.`)
  }
}

async function readNotice(folder: string): Promise<Notice> {
  const home = join(ROOT, folder)
  const manifest: Package = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'))
  const files = (await readdir(home, { withFileTypes: true })).filter(
    (file) => file.isFile() && LICENSE_FILE.test(file.name),
  )
  if (files.length === 0) return makeMitNotice(manifest)
  const texts = await Promise.all(files.map(({ name }) => readFile(join(home, name), 'utf8')))
  return { packages: [formatTitle(manifest)], text: texts.map((text) => `${text.trim()}\n`).join('\n') }
}

const formatTitle = ({ name, version }: Package): string => (version === undefined ? name : `${name} ${version}`)

/** Makes the notice of a package without a licence text, which only the MIT License allows. */
async function makeMitNotice(manifest: Package): Promise<Notice> {
  const { name, license, author = `the authors of ${name}` } = manifest
  if (license !== 'MIT')
    throw new Error(
      `${name} has the licence ${license}, but no licence text. Add the text to scripts/packages/third-party-notices.ts`,
    )
  const holder = typeof author === 'string' ? author : author.name
  const mit = await readFile(join(ROOT, 'LICENSE'), 'utf8')
  return { packages: [formatTitle(manifest)], text: mit.replace(/^Copyright .*$/m, `Copyright (c) ${holder}`) }
}
