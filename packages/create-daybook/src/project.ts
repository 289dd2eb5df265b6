import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { type DatabaseKind, type Template, UsageError } from './options.ts'

const HERE = import.meta.dirname
/** The root of the package: the folder of this file if published, its parent in the sources. */
const HOME = existsSync(join(HERE, 'package.json')) ? HERE : dirname(HERE)
const TEMPLATES_FOLDER = join(HOME, 'templates')

/**
 * The folders of `templates/` that make a template. A file replaces the file of an earlier folder, except that package.json adds scripts
 * and dependencies to it.
 */
const TEMPLATE_FOLDERS: Readonly<Record<Template, readonly string[]>> = {
  blog: ['every', 'blog'],
  site: ['every', 'blog', 'site'],
  minimal: ['every', 'minimal'],
}

/** The project name in the templates. */
const TEMPLATE_NAME = 'my-content'

/** Files that npm would change in a package, with the names that they get in a project. */
const RENAMED_FILES: Readonly<Record<string, string>> = { _gitignore: '.gitignore' }

/** The version of this package, and of the Daybook packages of a project. */
export async function readVersion(): Promise<string> {
  return (JSON.parse(await readFile(join(HOME, 'package.json'), 'utf8')) as { version: string }).version
}

/** The range of the driver of PostgreSQL that Daybook accepts. */
const DRIVER_RANGE = '^8.23.1'

/**
 * Writes the files of a project, with a new service token.
 *
 * @param folder an absolute path; created if it does not exist
 * @throws {UsageError} see {@link requireUsableFolder}
 */
export async function makeProject(
  folder: string,
  template: Template,
  database: DatabaseKind = 'sqlite',
): Promise<void> {
  await requireUsableFolder(folder)
  await mkdir(folder, { recursive: true })
  const project = { name: basename(folder), database, version: await readVersion() }
  for (const [file, text] of await readTemplate(template)) {
    const target = join(folder, dirname(file), RENAMED_FILES[basename(file)] ?? basename(file))
    await mkdir(dirname(target), { recursive: true })
    // Written instead of copied, because the files of an installed package may be read-only.
    await writeFile(target, fill(file, text, project), { flag: 'wx' })
  }
  const token = randomBytes(32).toString('hex')
  const env = envText(database, `postgres://localhost:5432/${project.name}`, token)
  await writeFile(join(folder, '.env'), env, { mode: 0o600, flag: 'wx' })
  const example = envText(database, 'postgres://user:password@host:5432/database', '')
  await writeFile(join(folder, '.env.example'), example, { flag: 'wx' })
}

/** Returns the text of a project's `.env`. */
const envText = (database: DatabaseKind, url: string, token: string): string =>
  `${database === 'postgres' ? `DATABASE_URL=${url}\n` : ''}DAYBOOK_SERVICE_TOKEN=${token}\n`

/** Returns the command that creates the database of a project. */
export const getCreateDatabaseCommand = (name: string): string =>
  `createdb --encoding=UTF8 --template=template0 ${name}`

/**
 * Requires a folder for a new project: it does not exist, or is empty.
 *
 * @param folder an absolute path
 * @throws {UsageError} if the folder is not empty, or npm does not accept its name
 */
export async function requireUsableFolder(folder: string): Promise<void> {
  requireName(basename(folder))
  // A repository without files counts as an empty folder.
  const names = (await readdir(folder).catch(readMissingFolder)).filter((name) => name !== '.git')
  if (names.length === 0) return
  throw new UsageError(
    `${folder} is not empty: it has ${JSON.stringify(names[0])}. Name another folder, or empty this one.`,
  )
}

function readMissingFolder(error: NodeJS.ErrnoException): readonly string[] {
  if (error.code === 'ENOENT') return []
  if (error.code === 'ENOTDIR') throw new UsageError(`${error.path} is a file. Name another folder.`)
  throw error
}

/** Reads the files of a template, by their paths in the project. */
async function readTemplate(template: Template): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>()
  for (const name of TEMPLATE_FOLDERS[template]) {
    const folder = join(TEMPLATES_FOLDER, name)
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      const file = relative(folder, path)
      const text = await readFile(path, 'utf8')
      const earlier = files.get(file)
      files.set(file, file === 'package.json' && earlier !== undefined ? mergeManifests(earlier, text) : text)
    }
  }
  return files
}

/** The part of a package.json that templates have. */
interface Manifest {
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
}

function mergeManifests(earlier: string, later: string): string {
  const [base, added] = [JSON.parse(earlier) as Manifest, JSON.parse(later) as Manifest]
  return JSON.stringify({
    ...base,
    scripts: { ...base.scripts, ...added.scripts },
    dependencies: { ...base.dependencies, ...added.dependencies },
  })
}

/** The parts of a project that differ from its template. */
interface Project {
  readonly name: string
  readonly database: DatabaseKind
  /** The version of Daybook's packages. */
  readonly version: string
}

/** Inserts the project's name, its database, and the version of Daybook's packages. */
function fill(file: string, text: string, { name, database, version }: Project): string {
  const isPostgres = database === 'postgres'
  if (file === 'README.md') return (isPostgres ? describePostgres(text) : text).replaceAll(TEMPLATE_NAME, name)
  if (file === 'daybook.config.ts') return isPostgres ? usePostgres(text) : text
  if (file !== 'package.json') return text
  const { dependencies, ...manifest } = JSON.parse(text) as Manifest
  const ranges = Object.entries(dependencies).map(([key, range]) => [key, range === '*' ? version : range])
  const sorted = [...ranges, ...(isPostgres ? [['pg', DRIVER_RANGE]] : [])].sort(([a = ''], [b = '']) =>
    a < b ? -1 : 1,
  )
  return `${JSON.stringify({ ...manifest, name, dependencies: Object.fromEntries(sorted) }, null, 2)}\n`
}

/** Gives a config the database at `DATABASE_URL`. */
const usePostgres = (config: string): string =>
  config
    .replace("from 'daybook/better-auth'\n", "$&import { postgres } from 'daybook/postgres'\n")
    .replace('defineConfig({\n', '$&  database: postgres(process.env.DATABASE_URL),\n')

/** Describes the database in a README. */
const describePostgres = (readme: string): string =>
  readme
    .replace('npm run dev ', `${getCreateDatabaseCommand(TEMPLATE_NAME)}   # once, at the DATABASE_URL of .env\n$&`)
    .replace('the token that programs write with', 'the URL of the database, and $&')
    .replace('the database; remove the folder to begin anew', 'uploaded files')

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
