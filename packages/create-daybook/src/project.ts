import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { requireName } from './project-name.ts'
import type { Template } from './templates.ts'
import { UsageError } from './usage.ts'

const HERE = import.meta.dirname
/** Where the package is: as it is published, this file lies at its top, and among the sources a folder below. */
const HOME = existsSync(join(HERE, 'package.json')) ? HERE : dirname(HERE)
const TEMPLATES_FOLDER = join(HOME, 'templates')

/** The name that the templates use. */
const TEMPLATE_NAME = 'my-content'

/** Files that npm would not leave in a package as they are, with the names that they get. */
const RENAMED_FILES: Readonly<Record<string, string>> = { _gitignore: '.gitignore' }

/** The version of this package, which is also that of those that a project gets. */
export async function readVersion(): Promise<string> {
  return (JSON.parse(await readFile(join(HOME, 'package.json'), 'utf8')) as { version: string }).version
}

/**
 * Writes the files of a project, with a service token of its own.
 *
 * @param folder an absolute path; made when it is not there
 * @throws {UsageError} when the folder is not empty, or npm takes no project of its name
 */
export async function makeProject(folder: string, template: Template): Promise<void> {
  const name = basename(folder)
  requireName(name)
  await mkdir(folder, { recursive: true }).catch(refuseFile)
  await requireEmpty(folder)
  for (const part of ['every', template]) await copyTemplate(join(TEMPLATES_FOLDER, part), folder, name)
  const secret = `DAYBOOK_SERVICE_TOKEN=${randomBytes(32).toString('hex')}\n`
  await writeFile(join(folder, '.env'), secret, { mode: 0o600, flag: 'wx' })
}

function refuseFile(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST' && error.code !== 'ENOTDIR') throw error
  throw new UsageError(`${error.path} is a file. Name another folder.`)
}

async function requireEmpty(folder: string): Promise<void> {
  // A repository without files is as good as an empty folder.
  const found = (await readdir(folder)).filter((name) => name !== '.git')
  if (found.length === 0) return
  throw new UsageError(
    `${folder} is not empty: it has ${JSON.stringify(found[0])}. Name another folder, or empty this one.`,
  )
}

/** Files are written anew instead of copied: those of an installed package may be read-only. */
async function copyTemplate(from: string, to: string, name: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    const target = join(to, RENAMED_FILES[entry.name] ?? entry.name)
    if (entry.isDirectory()) await copyTemplate(source, target, name)
    else await writeFile(target, await fill(entry.name, await readFile(source, 'utf8'), name), { flag: 'wx' })
  }
}

/** Puts the project's name in, and the version of Daybook's packages, which are all that it takes. */
async function fill(file: string, text: string, name: string): Promise<string> {
  if (file === 'README.md') return text.replaceAll(TEMPLATE_NAME, name)
  if (file !== 'package.json') return text
  const { dependencies, ...manifest } = JSON.parse(text) as { dependencies: object }
  const version = await readVersion()
  const pinned = Object.fromEntries(Object.keys(dependencies).map((one) => [one, version]))
  return `${JSON.stringify({ ...manifest, name, dependencies: pinned }, null, 2)}\n`
}
