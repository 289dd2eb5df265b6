import { pendingRenames } from '../../content/transfer/migration.ts'
import { DaybookError, StartupError } from '../../errors.ts'
import { compileModel } from '../../model/compile.ts'
import type { Model } from '../../model/model.ts'
import type { Snapshot } from '../../store/database.ts'
import { Reader } from '../../store/reads/read.ts'
import { whyNotCopied } from '../../store/transfer/copy-source.ts'
import { loadConfig } from '../config-file.ts'
import { readAddress } from '../copy/address.ts'
import { copyDatabase, verifyStore } from '../copy/run.ts'
import { type CommandLine, readCommandOptions } from '../options.ts'
import { UsageError } from '../usage.ts'

const OPTIONS = {
  /** The store: `sqlite:FOLDER`, `sqlite:FILE` or `postgres://user:password@host:5432/database`. @default needed */
  from: { type: 'string' },
  /** Where it goes, in the same form: empty, or an unfinished copy of the same store. @default needed */
  to: { type: 'string' },
  /** Compares the two, and copies nothing. */
  'verify-only': { type: 'boolean' },
  /** In place of a store: copies the files of the assets, from the store of files that this other config names to that of the config. @see docs/files.md#move-files-to-another-store */
  'files-from': { type: 'string' },
} as const

/**
 * `daybook copy --from ADDRESS --to ADDRESS`: copies a whole store into an empty database, and compares the two.
 * Answers 0 when they hold the same, else 1. `daybook copy --files-from CONFIG` copies files between two stores of files.
 *
 * @throws {UsageError} when the command line names no two stores; {StartupError} when one of them is not fit for it
 */
export async function copy(args: readonly string[]): Promise<number> {
  const options = readCommandOptions(args, OPTIONS)
  if (options.has('files-from')) return (await import('../copy/run-files.ts')).copyAssetFiles(options)
  const from = readAddress(requireOption(options, 'from'), '--from')
  const to = readAddress(requireOption(options, 'to'), '--to')
  if (from.identity === to.identity) throw new StartupError('--from and --to are the same store. Name two.')
  const model = compileModel(await loadConfig(options.text('config')))
  const source = await from.snapshot()
  try {
    const collections = await requireCopyable(source, from.shown, model)
    const run = options.flag('verify-only') ? verifyStore : copyDatabase
    return await run({ from, to, source, collections, model })
  } catch (error) {
    throw error instanceof DaybookError ? new StartupError(`${messageWithCause(error)} ${GO_ON}`) : error
  } finally {
    await source.close()
  }
}

const GO_ON = 'What has arrived stays: the same command goes on with it.'

function requireOption(options: CommandLine, name: 'from' | 'to'): string {
  const text = options.text(name)
  if (text !== undefined && options.positionals.length === 0) return text
  throw new UsageError('Name two stores: daybook copy --from sqlite:FOLDER --to postgres://…')
}

const messageWithCause = ({ message, cause }: DaybookError): string =>
  cause instanceof Error ? `${message} (${cause.message})` : message

/** Answers the keys of the stored collections. */
async function requireCopyable(source: Snapshot, shown: string, model: Model): Promise<readonly string[]> {
  const fault = await whyNotCopied(source, shown)
  if (fault !== undefined) throw new StartupError(fault)
  const read = new Reader(source.dialect, source)
  const collections = await read.system.storedCollections()
  const unknown = collections.filter((key) => !model.collections.has(key))
  if (unknown.length > 0) {
    const message = `${shown} holds collections that the config does not have: ${unknown.join(', ')}.`
    throw new StartupError(`${message} Bring them back into the config, or run daybook migrate on the store first.`)
  }
  const renames = (await pendingRenames(read, model)).map(
    ({ path, message, count }) => `  ${path} ${message} (${count})\n`,
  )
  if (renames.length === 0) return collections
  throw new StartupError(
    `The config renames fields of what ${shown} holds:\n${renames.join('')}Run daybook migrate --apply on the store first.`,
  )
}
