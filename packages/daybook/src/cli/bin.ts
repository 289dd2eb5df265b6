#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { ConfigError } from '../config/check.ts'
import { DaybookError, MigrationError, StartupError } from '../errors.ts'
import { nearest } from '../nearest.ts'
import { redactText } from '../redaction.ts'
import { daybookVersion } from '../version.ts'
import { HELP, UsageError } from './usage.ts'

const entry = fileURLToPath(import.meta.url)

// Keeps compiled code in the folder for temporary files: later starts take half the time.
enableCompileCache()

/** Each command with its code, loaded when it is the one asked for. Answers the exit status, or serves on. */
const COMMANDS: Readonly<Record<string, (args: readonly string[]) => Promise<number | undefined>>> = {
  start: async (args) => (await import('./commands/start.ts')).start(args),
  dev: async (args) => (await import('./commands/dev.ts')).dev(args, entry),
  import: async (args) => (await import('./commands/import.ts')).importContent(args),
  update: async (args) => (await import('./commands/update.ts')).update(args),
  delete: async (args) => (await import('./commands/delete.ts')).deleteEntries(args),
  undo: async (args) => (await import('./commands/undo.ts')).undoChanges(args),
  erase: async (args) => (await import('./commands/erase.ts')).erase(args),
  export: async (args) => (await import('./commands/export.ts')).exportContent(args),
  backup: async (args) => (await import('./commands/backup.ts')).backup(args),
  restore: async (args) => (await import('./commands/restore.ts')).restore(args),
  copy: async (args) => (await import('./commands/copy.ts')).copy(args),
  user: async (args) => (await import('./commands/user.ts')).user(args),
  token: async (args) => (await import('./commands/token.ts')).token(args),
  openapi: async (args) => (await import('./commands/openapi.ts')).openapi(args),
  plugins: async (args) => (await import('./commands/plugins.ts')).plugins(args),
  webhooks: async (args) => (await import('./commands/webhooks.ts')).webhooks(args),
  migrate: async (args) => (await import('./commands/migrate.ts')).migrate(args),
}

async function runCommand([command = '--help', ...args]: readonly string[]): Promise<number | undefined> {
  if (command === '--help' || args.includes('--help')) return printText(HELP)
  if (command === '--version') return printText(`${daybookVersion()}\n`)
  const found = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined
  if (!found) throw new UsageError(`There is no command "${command}". ${commandAdvice(command)}`)
  return found(args)
}

function commandAdvice(command: string): string {
  const known = Object.keys(COMMANDS)
  const meant = nearest(command, known)
  return meant ? `Did you mean daybook ${meant}?` : `Write one of: ${known.join(', ')}`
}

function printText(text: string): undefined {
  process.stdout.write(text)
}

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'The port is taken. End the program that listens on it, or choose another one with --port or --metrics-port.',
  EACCES: 'This user may not listen on that port. Choose one from 1024 up with --port or --metrics-port.',
  EADDRNOTAVAIL: 'This machine has no such address. Choose another one with --host or --metrics-host.',
}

/** A refusal of what was to be stored, such as by the config's own seed. */
function explainRefusal({ message, details: { issues = [] } }: DaybookError): string {
  const unsaid = issues.filter((issue) => !message.includes(issue.message))
  return [message, ...unsaid.map((issue) => `  ${issue.path} ${issue.message}`)].join('\n')
}

/** The message of an error, in the user's words; only an unexpected error keeps its stack. */
function explainCommandError(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\nSee daybook --help.`
  if ([ConfigError, StartupError, MigrationError].some((kind) => error instanceof kind)) return (error as Error).message
  if (error instanceof DaybookError && error.status < 500) return explainRefusal(error)
  const { syscall, code = '' } = error as NodeJS.ErrnoException
  // A worker's fault is one of binding.
  const isListening = syscall === 'listen' || syscall === 'bind'
  if (isListening && Object.hasOwn(LISTEN_FAULTS, code)) return LISTEN_FAULTS[code] ?? code
  return redactText(error instanceof Error ? (error.stack ?? error.message) : String(error))
}

try {
  const status = await runCommand(process.argv.slice(2))
  if (typeof status === 'number') process.exitCode = status
} catch (error) {
  process.stderr.write(`daybook: ${explainCommandError(error)}\n`)
  process.exitCode = error instanceof UsageError ? 2 : 1
  // A worker would be kept by the channel to its parent.
  process.channel?.unref()
}
