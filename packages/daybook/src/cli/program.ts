import { ConfigError } from '../config/check-config.ts'
import { DaybookError, MigrationError, StartupError } from '../errors.ts'
import { redactText } from '../redaction.ts'
import { getDaybookVersion } from '../version.ts'
import { CliCommand, UsageError } from './command.ts'
import { loadEnvFile } from './config-file.ts'

/** The commands, each with a line of help and its code, which is loaded when the command runs. */
const COMMANDS: Readonly<Record<string, readonly [summary: string, load: () => Promise<CliCommand>]>> = {
  start: ['serve, as in production', async () => (await import('./commands/start.ts')).start],
  dev: [
    'serve, with a readable log; restarts when the config changes',
    async () => (await import('./commands/dev.ts')).dev,
  ],
  import: [
    'import a folder of Markdown and MDX files, or restore an export into an empty service',
    async () => (await import('./commands/import.ts')).importContent,
  ],
  update: ['change every entry that matches', async () => (await import('./commands/bulk.ts')).update],
  delete: ['delete every entry that matches', async () => (await import('./commands/bulk.ts')).deleteEntries],
  undo: ['undo changes of the journal with new changes', async () => (await import('./commands/undo.ts')).undo],
  erase: [
    'erase the former versions of an entry, or of a global: daybook erase globals KEY',
    async () => (await import('./commands/erase.ts')).erase,
  ],
  export: [
    'write all content to a file; - for standard output',
    async () => (await import('./commands/export.ts')).exportContent,
  ],
  backup: [
    'save the database and the files of assets in a folder, while the service runs',
    async () => (await import('./commands/backup.ts')).backup,
  ],
  restore: ['restore a backup into an empty data folder', async () => (await import('./commands/restore.ts')).restore],
  copy: [
    'copy a whole store, such as from SQLite to PostgreSQL',
    async () => (await import('./commands/copy.ts')).copy,
  ],
  user: ['manage accounts', async () => (await import('./commands/user.ts')).user],
  token: ['manage the tokens of programs', async () => (await import('./commands/token.ts')).token],
  openapi: [
    'print the OpenAPI document; > openapi.json saves it',
    async () => (await import('./commands/openapi.ts')).openapi,
  ],
  plugins: [
    'print what each plugin of the config contributes',
    async () => (await import('./commands/plugins.ts')).plugins,
  ],
  webhooks: [
    'list failed deliveries of webhooks, and send them again',
    async () => (await import('./commands/webhooks.ts')).webhooks,
  ],
  migrate: [
    'show the effect of a changed config and of migrations on stored content, or apply it',
    async () => (await import('./commands/migrate.ts')).migrate,
  ],
}

/**
 * Creates the program `daybook`. Commands whose code is not loaded only have their line of help.
 *
 * @param names the commands whose code is loaded
 */
export async function makeProgram(names: readonly string[] = Object.keys(COMMANDS)): Promise<CliCommand> {
  const program = new CliCommand('daybook')
    .description('A headless content service.')
    .version(getDaybookVersion(), '--version', 'Prints the version.')
    .helpCommand('help <COMMAND>', 'show the options of a command')
    .enablePositionalOptions()
    .hook('preAction', (_program, command) => loadEnvFile(command.opts().config))
  for (const [name, [summary, load]] of Object.entries(COMMANDS)) {
    const command = names.includes(name) ? await load() : new CliCommand(name)
    program.addCommand(command.description(summary))
  }
  return program
}

/** Runs a command line, and sets the exit status. */
export async function runProgram([name = '--help', ...args]: readonly string[]): Promise<void> {
  try {
    const program = await makeProgram([name === 'help' ? (args[0] ?? '') : name])
    await program.parseAsync([name, ...args], { from: 'user' })
  } catch (error) {
    process.stderr.write(`daybook: ${explainCommandError(error)}\n`)
    process.exitCode = error instanceof UsageError ? 2 : 1
    // The channel to the parent would keep the process of a worker alive.
    process.channel?.unref()
  }
}

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'The port is already used. Stop the program that listens on it, or choose another port with --port or --metrics-port.',
  EACCES: 'This user is not allowed to listen on that port. Choose one from 1024 up with --port or --metrics-port.',
  EADDRNOTAVAIL: 'This machine does not have that address. Choose another one with --host or --metrics-host.',
}

/** Describes rejected content, such as that of the config's seed. */
function explainRejection({ message, details: { issues = [] } }: DaybookError): string {
  const missingIssues = issues.filter((issue) => !message.includes(issue.message))
  return [message, ...missingIssues.map((issue) => `  ${issue.message}`)].join('\n')
}

/** Returns the message of an error. Only an unexpected error keeps its stack. */
function explainCommandError(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\nSee daybook --help.`
  if ([ConfigError, StartupError, MigrationError].some((kind) => error instanceof kind)) return (error as Error).message
  if (error instanceof DaybookError && error.status < 500) return explainRejection(error)
  const { syscall, code = '' } = error as NodeJS.ErrnoException
  // In a worker, the system call of a port in use is `bind`.
  const isListening = syscall === 'listen' || syscall === 'bind'
  if (isListening && Object.hasOwn(LISTEN_FAULTS, code)) return LISTEN_FAULTS[code] ?? code
  return redactText(error instanceof Error ? (error.stack ?? error.message) : String(error))
}
