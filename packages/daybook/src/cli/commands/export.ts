import { resolve } from 'node:path'
import { disk } from '../../assets/disk.ts'
import type { DaybookConfig } from '../../config/config.ts'
import { countStoredFiles } from '../../content/assets/stored-files.ts'
import { ContentExport } from '../../content/transfer/export.ts'
import type { ExportCounts } from '../../content/transfer/export-lines.ts'
import { DaybookError, StartupError } from '../../errors.ts'
import { compileModel } from '../../model/compile.ts'
import type { Model } from '../../model/model.ts'
import type { Snapshot } from '../../store/database.ts'
import { Reader } from '../../store/reads/read.ts'
import { loadConfig } from '../config-file.ts'
import { openOutputFile, openStandardOutput } from '../export/output.ts'
import { describeCounts } from '../export/summary.ts'
import { describeFaults, exportFiles } from '../files/export-files.ts'
import { FileFolder } from '../files/file-folder.ts'
import { requireSnapshotFit } from '../fit-snapshot.ts'
import { openSnapshot } from '../open-snapshot.ts'
import { type CommandLine, dataFolder, readCommandOptions } from '../options.ts'
import { Progress } from '../progress.ts'
import { UsageError } from '../usage.ts'

const OPTIONS = {
  /** Only what changed after this number of the journal, deletions included. @default everything */
  since: { type: 'string' },
  /** Leave out who made and last changed documents. */
  'without-people': { type: 'boolean' },
  /** Where the files of the assets go, each once, named by their digests. @default they stay where they are @see docs/export-and-restore.md#bring-the-files-along */
  files: { type: 'string' },
} as const

/** The path that stands for standard output. */
const STDOUT = '-'

/**
 * `daybook export FILE`: writes all content to a file that appears when it is whole, or to standard output. A service
 * may run on the store meanwhile.
 *
 * @throws {UsageError} when the command line is wrong; {StartupError} when there is no store fit for it
 */
export async function exportContent(args: readonly string[]): Promise<number> {
  const options = readCommandOptions(args, OPTIONS)
  const path = requirePath(options)
  const since = readSince(options.text('since'))
  const config = await loadConfig(options.text('config'))
  const model = compileModel(config)
  const snapshot = await openSnapshot(config, resolve(dataFolder(options)))
  try {
    await requireSnapshotFit(snapshot, model)
    const content = await ContentExport.of(model, snapshot, {
      since,
      hasPeople: !options.flag('without-people'),
    }).catch((error) => {
      throw error instanceof DaybookError ? new UsageError(`--${error.message.replace(':', '')}`) : error
    })
    const folder = options.text('files')
    const areFilesWhole =
      folder === undefined || (await writeFiles({ config, model, snapshot, since, data: dataFolder(options) }, folder))
    if (!areFilesWhole) return 1
    await write(content, path)
    return 0
  } finally {
    await snapshot.close()
  }
}

function requirePath({ positionals }: CommandLine): string {
  const [path, ...others] = positionals
  if (path === undefined || others.length > 0) throw new UsageError('Name one file, or -: daybook export FILE.')
  return path
}

function readSince(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const since = Number(text)
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(since)) return since
  throw new UsageError(`--since takes a whole number, 0 or more, not "${text}".`)
}

/** What an export reads from. */
interface ExportSource {
  readonly config: DaybookConfig
  readonly model: Model
  readonly snapshot: Snapshot
  readonly since: number | undefined
  readonly data: string
}

/** Writes the files before the lines, so that an export that is there is whole. @returns whether all of them are */
async function writeFiles({ config, model, snapshot, since, data }: ExportSource, folder: string): Promise<boolean> {
  const read = new Reader(snapshot.dialect, snapshot)
  const blobs = await (config.assets?.store ?? disk()).open({ data: resolve(data) })
  try {
    const total = await countStoredFiles(model, read)
    const outcome = await exportFiles({ model, read, blobs, folder: new FileFolder(folder), since, total })
    const { written, there, faults } = outcome
    const missing = faults.length > 0 ? `, ${faults.length} missing` : ''
    process.stderr.write(`${describeFaults(faults)}files: ${written} written, ${there} there already${missing}\n`)
    if (faults.length > 0) process.stderr.write('Nothing is exported. Without --files, the content alone is.\n')
    return faults.length === 0
  } finally {
    await blobs.close()
  }
}

async function write(content: ContentExport, path: string): Promise<void> {
  const output =
    path === STDOUT ? openStandardOutput() : await openOutputFile(path).catch((error) => rethrowFileError(path, error))
  const progress = new Progress({ unit: 'entries', total: content.total }, process.stderr)
  let done = 0
  try {
    for await (const { text, count } of content.chunks()) {
      await output.write(text)
      done += count
      progress.update(done)
    }
    await output.finish()
  } catch (error) {
    await output.discard()
    rethrowFileError(path, error)
  } finally {
    progress.end()
  }
  printSummary(content.counts, content.seq, path)
}

/** Turns a file-system error into a message for the user; other errors are thrown unchanged. */
function rethrowFileError(path: string, error: unknown): never {
  const isOfFile = error instanceof Error && 'syscall' in error
  const shown = path === STDOUT ? 'Standard output' : path
  throw isOfFile ? new StartupError(`${shown} cannot be written: ${error.message}`) : error
}

function printSummary(counts: ExportCounts, seq: number, path: string): void {
  const line = `exported ${describeCounts(counts)}, as of ${seq}`
  if (path === STDOUT) process.stderr.write(`${line}\n`)
  else process.stdout.write(`${line}, to ${path}\n`)
}
