import { parseArgs } from 'node:util'

/** The templates of a project. */
export const TEMPLATES = {
  blog: 'posts, their authors and a record of the site, with first entries',
  site: 'the same, and a website that shows them, with Hono',
  minimal: 'notes and topics, empty',
} as const

export type Template = keyof typeof TEMPLATES

/** The databases of a project. */
export const DATABASES = {
  sqlite: 'a file in the project',
  postgres: 'a PostgreSQL server, at DATABASE_URL',
} as const

export type DatabaseKind = keyof typeof DATABASES

/** The choices that make a project. */
export interface Choices {
  /** The folder of the project, as it was written. */
  readonly folder: string
  readonly template: Template
  readonly database: DatabaseKind
}

export const DEFAULTS: Choices = { folder: 'my-content', template: 'blog', database: 'sqlite' }

/** An invalid command line. It is printed without a stack, and the exit status is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Returns a line for each choice. */
export const describeChoices = (choices: Readonly<Record<string, string>>, indent: string): string =>
  Object.entries(choices)
    .map(([name, what]) => `${indent}${name.padEnd(9)} ${what}\n`)
    .join('')

const INDENT = ' '.repeat(20)

/** The text of `create-daybook --help`. */
export const HELP: string = `create-daybook: creates a project with Daybook, a headless content service

  npm create daybook [FOLDER] [-- OPTIONS]

  In a terminal, it asks for the folder, the template and the database that the command line leaves open.

  FOLDER            a new folder, or an empty one; its name becomes the project's (default: ${DEFAULTS.folder})
  --template NAME   the template of the project (default: ${DEFAULTS.template})
${describeChoices(TEMPLATES, INDENT)}  --database NAME   the database of the project (default: ${DEFAULTS.database})
${describeChoices(DATABASES, INDENT)}  --no-install      write the files, but do not install packages
  --help, --version
`

const OPTIONS = {
  template: { type: 'string' },
  database: { type: 'string' },
  'no-install': { type: 'boolean' },
  help: { type: 'boolean' },
  version: { type: 'boolean' },
} as const

const OPTION_NAMES = Object.keys(OPTIONS).map((name) => `--${name}`)

/** A command line, which may leave choices open. */
export interface Options extends Partial<Choices> {
  /** True if packages are installed. @default true */
  readonly install: boolean
  readonly help: boolean
  readonly version: boolean
}

/**
 * Parses the command line.
 *
 * @param env the environment, in which npm puts options that were meant for this program
 * @throws {UsageError} if the command line is invalid
 */
export function readCreateOptions(args: readonly string[], env: NodeJS.ProcessEnv): Options {
  const { values, positionals } = parseCommandLine(args)
  if (args.every((arg) => !arg.startsWith('-'))) requireNoneKept(env)
  const [folder, ...extra] = positionals
  if (extra.length > 0) throw new UsageError(`Unexpected argument ${JSON.stringify(extra[0])}. Name one folder.`)
  return {
    ...(folder === undefined ? {} : { folder }),
    ...(values.template === undefined ? {} : { template: toTemplate(values.template) }),
    ...(values.database === undefined ? {} : { database: toDatabase(values.database) }),
    install: values['no-install'] !== true,
    help: values.help === true,
    version: values.version === true,
  }
}

function parseCommandLine(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  } catch (error) {
    // The rest of Node's message is about arguments that begin with a dash.
    const [fault] = error instanceof Error ? error.message.split('. ') : [String(error)]
    throw new UsageError(`${fault}. Use one of: ${OPTION_NAMES.join(', ')}.`)
  }
}

/** Rejects options without two dashes before them: npm takes them as its own, and passes their values as folders. */
function requireNoneKept({
  npm_config_template: template,
  npm_config_database: database,
  npm_config_install: install,
}: NodeJS.ProcessEnv): void {
  const lost = [
    ...(template ? ['--template'] : []),
    ...(database ? ['--database'] : []),
    ...(install === '' ? ['--no-install'] : []),
  ]
  if (lost.length === 0) return
  const use = 'npm create daybook FOLDER -- --template minimal --no-install'
  throw new UsageError(`npm did not pass on ${lost.join(' and ')}. Write two dashes before the options: ${use}`)
}

/** @throws {UsageError} if there is no such template */
export const toTemplate = (name: string): Template => toChoice('template', TEMPLATES, name)

/** @throws {UsageError} if there is no such database */
export const toDatabase = (name: string): DatabaseKind => toChoice('database', DATABASES, name)

function toChoice<Name extends string>(kind: string, choices: Readonly<Record<Name, string>>, name: string): Name {
  if (Object.hasOwn(choices, name)) return name as Name
  throw new UsageError(`Unknown ${kind} ${JSON.stringify(name)}. Use one of: ${Object.keys(choices).join(', ')}.`)
}
