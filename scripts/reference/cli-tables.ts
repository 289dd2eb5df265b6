import { type CliCommand, COMMON_OPTIONS, formatFlags, formatUsage } from '../../packages/daybook/src/cli/command.ts'
import { table } from './table.ts'

/** A command of the program, or an action of a command. */
type Command = CliCommand['commands'][number]

/** The commands of the program, or with a name the actions of that command. */
export function commandTable(program: CliCommand, [name]: readonly string[]): string {
  const { commands } = name === undefined ? program : findCommand(program, name)
  const rows = commands.map((command) => [`\`${formatUsage(command)}\``, command.description()])
  return table(['command', 'purpose'], rows)
}

/** The options of a command and of its actions; without a name those that every command takes. */
export function flagTable(program: CliCommand, [name]: readonly string[]): string {
  if (name === undefined) return optionTable(COMMON_OPTIONS)
  const command = findCommand(program, name)
  if (command.commands.length === 0) return optionTable(ownOptions(command))
  const actions = command.commands.filter((action) => ownOptions(action).length > 0)
  return actions.map((action) => `\`${formatUsage(action)}\`:\n\n${optionTable(ownOptions(action))}`).join('\n\n')
}

/** The commands that have options of their own, or actions with such. */
export function commandsWithFlags({ commands }: CliCommand): readonly string[] {
  return commands
    .filter((command) => leavesOf(command).some((leaf) => ownOptions(leaf).length > 0))
    .map((command) => command.name())
}

/** Every command and action that runs. */
export const leavesOf = (command: Command): readonly Command[] =>
  command.commands.length > 0 ? command.commands.flatMap(leavesOf) : [command]

function findCommand({ commands }: CliCommand, name: string): Command {
  const command = commands.find((one) => one.name() === name)
  if (!command) throw new Error(`There is no command ${name}.`)
  return command
}

const ownOptions = ({ options }: Command): Command['options'] =>
  options.filter((option) => !COMMON_OPTIONS.includes(option))

function optionTable(options: Command['options']): string {
  const rows = options.map(({ flags, description, defaultValueDescription }) => [
    `\`${formatFlags(flags)}\``,
    defaultValueDescription ?? '',
    description,
  ])
  return table(['option', 'default', 'meaning'], rows)
}
