import { parseArgs } from 'node:util'

/** The templates of a project, each a folder of `templates/`. The files of `templates/every` belong to all. */
const TEMPLATES = {
  blog: 'posts, their authors and a record of the site, with first entries',
  minimal: 'notes and topics, empty',
} as const

export type Template = keyof typeof TEMPLATES

/** An invalid command line. It is printed without a stack, and the exit status is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

const templates = Object.entries(TEMPLATES).map(([name, what]) => `                    ${name.padEnd(8)} ${what}`)

/** The text of `create-daybook --help`. */
export const HELP: string = `create-daybook: creates a project with Daybook, a headless content service

  npm create daybook [FOLDER] [-- OPTIONS]

  FOLDER            a new folder, or an empty one; its name becomes the project's (default: my-content)
  --template NAME   the template of the project (default: blog)
${templates.join('\n')}
  --no-install      write the files, but do not install packages
  --help, --version
`

const OPTIONS = {
  template: { type: 'string' },
  'no-install': { type: 'boolean' },
  help: { type: 'boolean' },
  version: { type: 'boolean' },
} as const

const OPTION_NAMES = Object.keys(OPTIONS).map((name) => `--${name}`)

export interface Options {
  /** The folder of the project, as it was written. @default 'my-content' */
  readonly folder: string
  /** The name of a template. @default 'blog' */
  readonly template: Template
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
  const [folder = 'my-content', ...extra] = positionals
  if (extra.length > 0) throw new UsageError(`Unexpected argument ${JSON.stringify(extra[0])}. Name one folder.`)
  return {
    folder,
    template: toTemplate(values.template ?? 'blog'),
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
function requireNoneKept({ npm_config_template: template, npm_config_install: install }: NodeJS.ProcessEnv): void {
  const lost = [...(template ? ['--template'] : []), ...(install === '' ? ['--no-install'] : [])]
  if (lost.length === 0) return
  const use = 'npm create daybook FOLDER -- --template minimal --no-install'
  throw new UsageError(`npm did not pass on ${lost.join(' and ')}. Write two dashes before the options: ${use}`)
}

function toTemplate(name: string): Template {
  if (Object.hasOwn(TEMPLATES, name)) return name as Template
  throw new UsageError(`Unknown template ${JSON.stringify(name)}. Use one of: ${Object.keys(TEMPLATES).join(', ')}.`)
}
