import { parseArgs } from 'node:util'
import { TEMPLATES, type Template } from './templates.ts'
import { UsageError } from './usage.ts'

const OPTIONS = {
  template: { type: 'string' },
  'no-install': { type: 'boolean' },
  help: { type: 'boolean' },
  version: { type: 'boolean' },
} as const

const KNOWN = Object.keys(OPTIONS).map((name) => `--${name}`)

/** What the command line asks for. */
export interface Options {
  /** As it was given. @default 'my-content' */
  readonly folder: string
  /** @default 'blog' */
  readonly template: Template
  /** Whether packages are installed. @default true */
  readonly install: boolean
  readonly help: boolean
  readonly version: boolean
}

/**
 * Reads the command line.
 *
 * @param env what npm has made of options that were meant for this program
 * @throws {UsageError} when it says something that it cannot say
 */
export function readCreateOptions(args: readonly string[], env: NodeJS.ProcessEnv): Options {
  const { values, positionals } = parseCommandLine(args)
  if (args.every((arg) => !arg.startsWith('-'))) requireNoneKept(env)
  const [folder = 'my-content', ...others] = positionals
  if (others.length > 0) throw new UsageError(`One folder at a time: what is ${JSON.stringify(others[0])} for?`)
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
    // What Node says after the first sentence is about arguments that begin with a dash.
    const [fault] = error instanceof Error ? error.message.split('. ') : [String(error)]
    throw new UsageError(`${fault}. Options are: ${KNOWN.join(', ')}.`)
  }
}

/** npm takes what stands before two dashes for an option of its own, and passes its value on as if it were a folder. */
function requireNoneKept({ npm_config_template: template, npm_config_install: install }: NodeJS.ProcessEnv): void {
  const taken = [...(template ? ['--template'] : []), ...(install === '' ? ['--no-install'] : [])]
  if (taken.length === 0) return
  const use = 'npm create daybook FOLDER -- --template minimal --no-install'
  throw new UsageError(`npm has kept ${taken.join(' and ')} for itself. Write two dashes before options: ${use}`)
}

function toTemplate(name: string): Template {
  if (Object.hasOwn(TEMPLATES, name)) return name as Template
  throw new UsageError(
    `There is no template ${JSON.stringify(name)}. Templates are: ${Object.keys(TEMPLATES).join(', ')}.`,
  )
}
