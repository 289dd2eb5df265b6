import { type CliCommand, COMMON_OPTIONS, formatFlags, formatUsage } from '../../packages/daybook/src/cli/command.ts'
import { table } from './table.ts'

/** A command of the program, or an action of a command. */
type Command = CliCommand['commands'][number]

/** The table of the program's commands, or of the actions of one command. */
export function commandTable(program: CliCommand, [name]: readonly string[]): string {
  const { commands } = name === undefined ? program : findCommand(program, name)
  const rows = commands.map((command) => [`\`${formatUsage(command)}\``, command.description()])
  return table(['command', 'purpose'], rows)
}

/** The tables of the options of a command and its actions; without a name, of those that every command takes. */
export function flagTable(program: CliCommand, [name]: readonly string[]): string {
  if (name === undefined) return optionTable(COMMON_OPTIONS)
  const command = findCommand(program, name)
  if (command.commands.length === 0) return optionTable(getSpecificOptions(command))
  const actions = command.commands.filter((action) => getSpecificOptions(action).length > 0)
  return actions
    .map((action) => `\`${formatUsage(action)}\`:\n\n${optionTable(getSpecificOptions(action))}`)
    .join('\n\n')
}

/** Finds the commands that have, or whose actions have, options beyond the common ones. */
export function commandsWithFlags({ commands }: CliCommand): readonly string[] {
  return commands
    .filter((command) => listLeaves(command).some((leaf) => getSpecificOptions(leaf).length > 0))
    .map((command) => command.name())
}

/** Finds the actions of a command; itself, if it has none. */
export const listLeaves = (command: Command): readonly Command[] =>
  command.commands.length > 0 ? command.commands.flatMap(listLeaves) : [command]

function findCommand({ commands }: CliCommand, name: string): Command {
  const command = commands.find((candidate) => candidate.name() === name)
  if (!command) throw new Error(`There is no command ${name}.`)
  return command
}

const getSpecificOptions = ({ options }: Command): Command['options'] =>
  options.filter((option) => !COMMON_OPTIONS.includes(option))

function optionTable(options: Command['options']): string {
  const rows = options.map(({ flags, description, defaultValueDescription }) => [
    `\`${formatFlags(flags)}\``,
    defaultValueDescription ?? '',
    description,
  ])
  return table(['option', 'default', 'meaning'], rows)
}
