import { randomBytes } from 'node:crypto'
import { Command, type ErrorOptions, type HelpContext, Option, type ParseOptionsResult } from 'commander'
import { findNearest } from '../nearest.ts'

export type { Option } from 'commander'

/** An invalid command line. Its message is printed without a stack, and the exit status is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The values of {@link COMMON_OPTIONS}. */
export interface CommonOptions {
  readonly config?: string
  readonly data?: string
}

/** A command, or an action of one, such as `daybook user create`. Faults of its command line are {@link UsageError}s. */
export class CliCommand extends Command {
  constructor(name: string) {
    super(name)
    this.showSuggestionAfterError(false)
    this.helpCommand(false)
    this.helpOption('--help', 'Prints this help.')
    this.configureHelp({
      commandUsage: (command) => `${formatUsage(command)} ${command.commands.length > 0 ? 'COMMAND' : '[options]'}`,
      commandDescription: (command) => toPlainText(command.description()),
      subcommandTerm: formatNameWithArguments,
      subcommandDescription: (command) => toPlainText(command.description()),
      argumentTerm: (argument) => argument.name(),
      optionTerm: ({ flags }) => formatFlags(flags),
      optionDescription: ({ description, defaultValueDescription }) =>
        toPlainText(
          defaultValueDescription === undefined ? description : `${description} (default: ${defaultValueDescription})`,
        ),
    })
  }

  takes(...options: readonly Option[]): this {
    for (const option of options) this.addOption(option)
    return this
  }

  /** Sets the function that the command runs: it gets the arguments and the options, and returns the exit status. */
  runs<Args extends unknown[]>(run: (...args: Args) => Promise<number | undefined>): this {
    return this.takes(...COMMON_OPTIONS).action(async (...args) => {
      const status = await run(...(args as Args))
      if (status !== undefined) process.exitCode = status
    })
  }

  /** A value that begins with a dash takes the form `--name=-value`: an option without its value does not swallow the next one. */
  override parseOptions(args: string[]): ParseOptionsResult {
    const end = args.includes('--') ? args.indexOf('--') : args.length
    for (const [index, arg] of args.slice(0, end).entries()) {
      const option = this.options.find(({ long, required }) => required && long === arg)
      const value = args[index + 1]
      if (option && (value === undefined || /^-./.test(value)))
        throw new UsageError(
          `${arg} requires a value: ${formatFlags(option.flags)}. Write a value with a dash as ${arg}=VALUE.`,
        )
    }
    return super.parseOptions(args)
  }

  override help(context?: HelpContext | ((text: string) => string)): never {
    if (typeof context !== 'object' || !context.error) return super.help()
    const [, name] = this.args
    if (name !== undefined) throw new UsageError(describeUnknownCommand(this, name))
    throw new UsageError(`A command is required. Use one of: ${this.commands.map(formatUsage).join(', ')}`)
  }

  override error(message: string, { code }: ErrorOptions = {}): never {
    const name = /'(.*)'/s.exec(message)?.[1] ?? ''
    if (code === 'commander.unknownCommand') throw new UsageError(describeUnknownCommand(this, name))
    if (code === 'commander.unknownOption') throw new UsageError(describeUnknownOption(this, name.replace(/=.*$/s, '')))
    throw new UsageError(`The arguments are invalid. Write: ${formatUsage(this)}`)
  }
}

/**
 * Describes an option.
 *
 * @param flags its name and, in angle brackets, the name of its value
 * @param defaultText its default, in words
 */
export function defineOption(flags: string, description: string, defaultText?: string): Option {
  return new Option(flags, description).default(undefined, defaultText)
}

/** Describes an option that takes several values, one each time. */
export function defineRepeatedOption(flags: string, description: string, defaultText?: string): Option {
  const collect = (value: string, values: unknown): readonly string[] => [...((values ?? []) as string[]), value]
  return defineOption(flags, `${description} Can be repeated.`, defaultText).argParser(collect)
}

export const COMMON_OPTIONS: readonly Option[] = [
  defineOption('--config <FILE>', 'The config.', '`daybook.config.ts`, `.js` or `.mjs` in the current folder'),
  defineOption('--data <DIR>', 'The folder of the database.', '`DAYBOOK_DATA`, else `.daybook`'),
]

/** Returns the shortest command line of a command: `daybook erase COLLECTION ID`. */
export const formatUsage = (command: Command): string =>
  command.parent ? `${getCommandPath(command.parent)} ${formatNameWithArguments(command)}` : command.name()

function formatNameWithArguments(command: Command): string {
  const args = command.registeredArguments.map((argument) =>
    argument.required ? argument.name() : `[${argument.name()}]`,
  )
  const mandatory = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => formatFlags(flags))
  return [command.name(), ...args, ...mandatory].join(' ')
}

/** Descriptions are Markdown, for the docs. */
const toPlainText = (markdown: string): string => markdown.replaceAll('`', '').replace('(default: needed', '(needed')

/** `--port N` for `--port <N>`. */
export const formatFlags = (flags: string): string => flags.replace(/[<>]/g, '')

const getCommandPath = (command: Command): string =>
  command.parent ? `${getCommandPath(command.parent)} ${command.name()}` : command.name()

function describeUnknownCommand(parent: Command, name: string): string {
  const names = parent.commands.map((command) => command.name())
  const similar = findNearest(name, names)
  const advice = similar ? `Did you mean ${getCommandPath(parent)} ${similar}?` : `Use one of: ${names.join(', ')}`
  return `Unknown command "${[...getCommandPath(parent).split(' ').slice(1), name].join(' ')}". ${advice}`
}

function describeUnknownOption({ options }: Command, flag: string): string {
  const names = options.map((option) => option.name())
  const name = flag.replace(/^--/, '')
  if (names.includes(name)) return `${flag} does not take a value.`
  const similar = findNearest(name, names)
  const advice = similar
    ? `Did you mean --${similar}?`
    : `Use one of: ${names.map((option) => `--${option}`).join(', ')}`
  return `Unknown option ${flag}. ${advice}`
}

/** The exit status of a command that a signal ended. */
export const INTERRUPTED = 130
const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * Runs work that can be interrupted: Ctrl-C or SIGTERM aborts its signal, and it ends after the current transaction. A second signal
 * ends the process at once.
 */
export async function withSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(INTERRUPTED)
    controller.abort()
  }
  for (const name of SIGNALS) process.on(name, interrupt)
  try {
    return await work(controller.signal)
  } finally {
    for (const name of SIGNALS) process.off(name, interrupt)
  }
}

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Returns the time, in ISO 8601 and UTC, at which a grant of a number of days ends.
 *
 * @throws {UsageError} unless the number is from 1 to 3650
 */
export function readExpiry(days: string): string {
  const count = Number(days)
  if (!/^\d+$/.test(days) || count < 1 || count > 3650)
    throw new UsageError(`--days must be a number from 1 to 3650, not "${days}".`)
  return new Date(Date.now() + count * DAY_MS).toISOString()
}

/** Returns a random password of 20 characters. */
export const generatePassword = (): string => randomBytes(15).toString('base64url')

/** Roles are printed as lists, so they contain no comma. */
const ROLE = /^[\w.-]{1,48}$/

/** @throws {UsageError} if a role cannot be stored */
export function checkRoles(roles: readonly string[]): readonly string[] {
  const invalid = roles.find((role) => !ROLE.test(role))
  if (invalid !== undefined)
    throw new UsageError(`--role must be at most 48 letters, digits, _, . and -, not "${invalid}".`)
  return roles
}
