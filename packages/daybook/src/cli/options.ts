import { type ParseArgsConfig, parseArgs } from 'node:util'
import { nearest } from '../nearest.ts'
import { loadEnvFile } from './env-file.ts'
import { UsageError } from './usage.ts'

type OptionsConfig = NonNullable<ParseArgsConfig['options']>

/** Options of every command. */
const COMMON_OPTIONS = {
  /** The config. @default `daybook.config.ts`, `.js` or `.mjs` in the current folder */
  config: { type: 'string' },
  /** The folder of the database. @default `DAYBOOK_DATA`, else `.daybook` */
  data: { type: 'string' },
} as const satisfies OptionsConfig

/** The options and arguments of a command. */
export interface CommandLine {
  readonly positionals: readonly string[]
  text(name: string): string | undefined
  texts(name: string): readonly string[]
  flag(name: string): boolean
  /** Whether an option is given. */
  has(name: string): boolean
}

/**
 * Reads a command's options, and the `.env` beside its config into the environment.
 *
 * @throws {UsageError} when there is an option that it does not take
 * @throws {StartupError} when there is a `.env` that cannot be read
 */
export function readCommandOptions(args: readonly string[], own: OptionsConfig): CommandLine {
  const options = parseOptions(args, own)
  loadEnvFile(options.text('config'))
  return options
}

function parseOptions(args: readonly string[], own: OptionsConfig): CommandLine {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { ...COMMON_OPTIONS, ...own },
      allowPositionals: true,
    })
    const given = values as Readonly<Record<string, unknown>>
    return {
      positionals,
      text: (name) => given[name] as string | undefined,
      texts: (name) => (given[name] ?? []) as readonly string[],
      flag: (name) => given[name] === true,
      has: (name) => given[name] !== undefined,
    }
  } catch (error) {
    throw new UsageError(optionAdvice(error, args, Object.keys({ ...COMMON_OPTIONS, ...own })))
  }
}

function optionAdvice(error: unknown, args: readonly string[], known: readonly string[]): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return message
  const { tokens } = parseArgs({ args: [...args], strict: false, tokens: true })
  const unknown = tokens.find((token) => token.kind === 'option' && !known.includes(token.name))
  if (unknown?.kind !== 'option') return message
  const meant = nearest(unknown.name, known)
  const advice = meant ? `Did you mean --${meant}?` : `It takes: ${known.map((name) => `--${name}`).join(', ')}`
  return `There is no option ${unknown.rawName} of this command. ${advice}`
}

/** The folder of the database: the option, the environment, or `.daybook`. */
export function dataFolder(options: CommandLine): string {
  return options.text('data') ?? process.env.DAYBOOK_DATA ?? '.daybook'
}
