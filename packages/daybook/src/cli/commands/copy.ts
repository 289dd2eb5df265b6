import { resolve } from 'node:path'
import { Closers } from '../../closers.ts'
import type { DaybookConfig } from '../../config/config.ts'
import { findPendingRenames } from '../../content/transfer/index.ts'
import { DaybookError, StartupError } from '../../errors.ts'
import { compileModel } from '../../model/compile.ts'
import type { Model } from '../../model/model.ts'
import type { Snapshot } from '../../store/database.ts'
import { CliCommand, type CommonOptions, defineOption, UsageError } from '../command.ts'
import { dataFolder, loadConfig } from '../config-file.ts'
import { openSnapshot, requireCopyable, requireModelFit } from '../open-store.ts'
import { printLine } from '../output.ts'
import { copyFiles, describeFaults, openBlobs } from '../transfer/asset-files.ts'
import { copyDatabase, readAddress, verifyStore } from '../transfer/copy-store.ts'

interface CopyOptions extends CommonOptions {
  readonly from?: string
  readonly to?: string
  readonly verifyOnly?: boolean
  readonly filesFrom?: string
}

/** `daybook copy`: copies a whole store into an empty database, and compares the two. The status is 1 if they differ. */
export const copy: CliCommand = new CliCommand('copy')
  .takes(
    defineOption(
      '--from <ADDRESS>',
      'The store: `sqlite:FOLDER`, `sqlite:FILE` or `postgres://user:password@host:5432/database`.',
      'needed',
    ),
    defineOption(
      '--to <ADDRESS>',
      'Where it goes, in the same form: empty, or an unfinished copy of the same store.',
      'needed',
    ),
    defineOption('--verify-only', 'Compares the two, and copies nothing.'),
    defineOption(
      '--files-from <FILE>',
      'In place of a store: copies the files of the assets, from the store of files that this other config names to that of the config.',
    ),
  )
  .runs((options: CopyOptions) => (options.filesFrom === undefined ? copyContent(options) : copyAssets(options)))

const GO_ON = 'What is already copied is kept: the same command continues.'

async function copyContent(options: CopyOptions): Promise<number> {
  if (options.from === undefined || options.to === undefined)
    throw new UsageError('Two stores are required: daybook copy --from sqlite:FOLDER --to postgres://…')
  const from = readAddress(options.from, '--from')
  const to = readAddress(options.to, '--to')
  if (from.identity === to.identity)
    throw new StartupError('--from and --to are the same store. Name two different ones.')
  const model = compileModel(await loadConfig(options.config))
  const source = await from.snapshot()
  try {
    const collections = await requireKnownCollections(source, from.label, model)
    const run = options.verifyOnly ? verifyStore : copyDatabase
    return await run({ from, to, source, collections, model })
  } catch (error) {
    throw error instanceof DaybookError ? new StartupError(`${formatWithCause(error)} ${GO_ON}`) : error
  } finally {
    await source.close()
  }
}

const formatWithCause = ({ message, cause }: DaybookError): string =>
  cause instanceof Error ? `${message} (${cause.message})` : message

async function requireKnownCollections(source: Snapshot, label: string, model: Model): Promise<readonly string[]> {
  const read = await requireCopyable(source, label)
  const collections = await read.system.storedCollections()
  const unknown = collections.filter((key) => !model.collections.has(key))
  if (unknown.length > 0) {
    const message = `${label} has collections that are not in the config: ${unknown.join(', ')}.`
    throw new StartupError(`${message} Restore them in the config, or run daybook migrate on the store first.`)
  }
  const renames = (await findPendingRenames(read, model)).map(
    ({ path, message, count }) => `  ${path} ${message} (${count})\n`,
  )
  if (renames.length === 0) return collections
  throw new StartupError(
    `The config renames fields of the content in ${label}:\n${renames.join('')}Run daybook migrate --apply on the store first.`,
  )
}

/** Copies the files of all assets to the store of files of the config. A service may run. The status is 1 if files are missing. */
async function copyAssets(options: CopyOptions): Promise<number> {
  if (options.from !== undefined || options.to !== undefined)
    throw new UsageError(
      '--files-from copies only files. Leave out --from and --to: daybook copy --files-from OLD_CONFIG.',
    )
  const data = resolve(dataFolder(options))
  const config = await loadConfig(options.config)
  const formerConfig = await loadConfig(options.filesFrom)
  const model = compileModel(config)
  const closers = new Closers()
  const openFiles = async (filesConfig: DaybookConfig) => {
    const blobs = await openBlobs(filesConfig, data)
    closers.defer(() => blobs.close())
    return blobs
  }
  try {
    const snapshot = await openSnapshot(config, data)
    closers.defer(() => snapshot.close())
    const read = await requireModelFit(snapshot, model)
    const [source, to] = [await openFiles(formerConfig), await openFiles(config)]
    const from = async ({ path }: { readonly path: string }) => (await source.read(path))?.content
    const { written, existing, faults } = await copyFiles({ model, read, from, to, isVerified: options.verifyOnly })
    process.stderr.write(describeFaults(faults))
    printLine(`files: ${written} copied, ${existing} already there, ${faults.length} missing`)
    return faults.length === 0 ? 0 : 1
  } finally {
    await closers.close()
  }
}
