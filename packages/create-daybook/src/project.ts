import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Template, UsageError } from './options.ts'

const HERE = import.meta.dirname
/** The root of the package: the folder of this file if published, its parent in the sources. */
const HOME = existsSync(join(HERE, 'package.json')) ? HERE : dirname(HERE)
const TEMPLATES_FOLDER = join(HOME, 'templates')

/** The project name in the templates. */
const TEMPLATE_NAME = 'my-content'

/** Files that npm would change in a package, with the names that they get in a project. */
const RENAMED_FILES: Readonly<Record<string, string>> = { _gitignore: '.gitignore' }

/** The version of this package, and of the Daybook packages of a project. */
export async function readVersion(): Promise<string> {
  return (JSON.parse(await readFile(join(HOME, 'package.json'), 'utf8')) as { version: string }).version
}

/**
 * Writes the files of a project, with a new service token.
 *
 * @param folder an absolute path; created if it does not exist
 * @throws {UsageError} if the folder is not empty, or npm does not accept its name
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
  // A repository without files counts as an empty folder.
  const names = (await readdir(folder)).filter((name) => name !== '.git')
  if (names.length === 0) return
  throw new UsageError(
    `${folder} is not empty: it has ${JSON.stringify(names[0])}. Name another folder, or empty this one.`,
  )
}

/** Writes the files instead of copying them, because those of an installed package may be read-only. */
async function copyTemplate(from: string, to: string, name: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    const target = join(to, RENAMED_FILES[entry.name] ?? entry.name)
    if (entry.isDirectory()) await copyTemplate(source, target, name)
    else await writeFile(target, await fill(entry.name, await readFile(source, 'utf8'), name), { flag: 'wx' })
  }
}

/** Inserts the project's name, and the version of Daybook's packages, the only dependencies. */
async function fill(file: string, text: string, name: string): Promise<string> {
  if (file === 'README.md') return text.replaceAll(TEMPLATE_NAME, name)
  if (file !== 'package.json') return text
  const { dependencies, ...manifest } = JSON.parse(text) as { dependencies: object }
  const version = await readVersion()
  const pinned = Object.fromEntries(Object.keys(dependencies).map((name) => [name, version]))
  return `${JSON.stringify({ ...manifest, name, dependencies: pinned }, null, 2)}\n`
}

const MAX_NAME_LENGTH = 214

/** Names that npm reserves, or that would hide a package of the project. */
const RESERVED_NAMES: readonly string[] = ['node_modules', 'favicon.ico', 'daybook']

/**
 * Requires a project name that npm accepts.
 *
 * @throws {UsageError} if npm does not; the message suggests a name
 */
function requireName(name: string): void {
  const fault = nameFault(name)
  if (fault === undefined) return
  throw new UsageError(`npm does not accept a project named ${JSON.stringify(name)}: ${fault}. Try ${suggest(name)}.`)
}

function nameFault(name: string): string | undefined {
  if (RESERVED_NAMES.includes(name)) return 'the name is reserved'
  if (name.length > MAX_NAME_LENGTH) return `a name must have at most ${MAX_NAME_LENGTH} characters`
  if (/^[a-z0-9][a-z0-9._-]*$/.test(name)) return undefined
  return 'a name must consist of lower-case letters, digits, "-", "_" and ".", and begin with a letter or a digit'
}

/** Returns the nearest name that npm accepts. */
function suggest(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const suggested = plain
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|[._-]+$/g, '')
    .slice(0, MAX_NAME_LENGTH)
  return suggested === '' || RESERVED_NAMES.includes(suggested) ? 'my-content' : suggested
}
