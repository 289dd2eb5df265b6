import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { BlobStore } from '../../assets/blob-store.ts'
import { ContentExport } from '../../content/transfer/index.ts'
import { DaybookError, StartupError } from '../../errors.ts'
import { compileModel } from '../../model/compile.ts'
import { CliCommand, type CommonOptions, defineOption, UsageError } from '../command.ts'
import { dataFolder, loadConfig } from '../config-file.ts'
import { openSnapshot, requireModelFit } from '../open-store.ts'
import { Progress, printLine, printNotice } from '../output.ts'
import { type AssetFiles, describeFaults, exportFiles, openBlobs } from '../transfer/asset-files.ts'
import { DigestFolder } from '../transfer/digest-folder.ts'
import { describeCounts } from '../transfer/export-file.ts'

interface ExportOptions extends CommonOptions {
  readonly since?: string
  readonly withoutPeople?: boolean
  readonly files?: string
}

/** The path that stands for standard output. */
const STDOUT = '-'

/**
 * `daybook export`: writes all content to a file that appears when it is complete, or to standard output. A service may run on the
 * store. The status is 1 if files are missing.
 */
export const exportContent: CliCommand = new CliCommand('export')
  .argument('<FILE>', 'The file; - writes to standard output.')
  .takes(
    defineOption(
      '--since <SEQ>',
      'Exports only changes after this number of the journal, deletions included.',
      'everything',
    ),
    defineOption('--without-people', 'Leaves out the authors of documents.'),
    defineOption(
      '--files <DIR>',
      'The folder for the files of the assets, each once, named by its digest.',
      'files are not exported',
    ),
  )
  .runs(async (path: string, options: ExportOptions) => {
    const since = readSince(options.since)
    const config = await loadConfig(options.config)
    const model = compileModel(config)
    const data = resolve(dataFolder(options))
    const snapshot = await openSnapshot(config, data)
    try {
      const read = await requireModelFit(snapshot, model)
      const content = await ContentExport.open(model, snapshot, {
        since,
        includesAuthors: !options.withoutPeople,
      }).catch(rethrowInvalidSince)
      // The files come before the lines, so that an existing export is complete.
      if (options.files !== undefined) {
        const blobs = await openBlobs(config, data)
        const areAllWritten = await writeFiles({ model, read, since }, blobs, options.files).finally(() =>
          blobs.close(),
        )
        if (!areAllWritten) return 1
      }
      return await writeContent(content, path)
    } finally {
      await snapshot.close()
    }
  })

function readSince(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const since = Number(text)
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(since)) return since
  throw new UsageError(`--since must be a whole number, 0 or more, not "${text}".`)
}

function rethrowInvalidSince(error: unknown): never {
  throw error instanceof DaybookError ? new UsageError(`--${error.message}`) : error
}

async function writeFiles(files: AssetFiles, blobs: BlobStore, folder: string): Promise<boolean> {
  const { written, existing, faults } = await exportFiles(files, blobs, new DigestFolder(folder))
  const missing = faults.length > 0 ? `, ${faults.length} missing` : ''
  process.stderr.write(`${describeFaults(faults)}files: ${written} written, ${existing} already there${missing}\n`)
  if (faults.length > 0) printNotice('Nothing was exported. To export only the content, leave out --files.')
  return faults.length === 0
}

async function writeContent(content: ContentExport, path: string): Promise<number> {
  const output = path === STDOUT ? openStdout() : await openFile(path).catch((error) => rethrowFileError(path, error))
  using progress = new Progress({ unit: 'entries', total: content.total })
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
  }
  const line = `exported ${describeCounts(content.counts)}, as of ${content.seq}`
  if (path === STDOUT) printNotice(line)
  else printLine(`${line}, to ${path}`)
  return 0
}

/** Turns a file-system error into a message for the user. Other errors are thrown unchanged. */
function rethrowFileError(path: string, error: unknown): never {
  const isOfFile = error instanceof Error && 'syscall' in error
  const label = path === STDOUT ? 'Standard output' : path
  throw isOfFile ? new StartupError(`${label} cannot be written: ${error.message}`) : error
}

interface Output {
  write(text: string): Promise<void>
  /** Completes the output. */
  finish(): Promise<void>
  /** Removes an incomplete output. */
  discard(): Promise<void>
}

/** The exit status after a signal: 128 plus its number, as in shells. */
const SIGNAL_STATUS = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * Opens a file that is renamed when it is complete. Only its owner may read it, since it contains all content.
 */
async function openFile(path: string): Promise<Output> {
  const part = `${path}.${process.pid}.part`
  const handle = await open(part, 'wx', 0o600)
  const listeners = Object.entries(SIGNAL_STATUS).map(([signal, status]) => {
    const end = (): void => {
      rmSync(part, { force: true })
      process.exit(status)
    }
    process.once(signal, end)
    return () => process.removeListener(signal, end)
  })
  const close = async (): Promise<void> => {
    await handle.close()
    for (const remove of listeners) remove()
  }
  return {
    write: (text) => handle.appendFile(text),
    async finish() {
      await handle.sync()
      await rename(part, path)
      await close()
    },
    async discard() {
      await close()
      await rm(part, { force: true })
    },
  }
}

/** Opens standard output. Writes wait for its reader. */
function openStdout(): Output {
  const { stdout } = process
  let failure: unknown
  stdout.on('error', (error) => {
    failure = error
  })
  return {
    async write(text) {
      if (failure) throw failure
      if (!stdout.write(text)) await once(stdout, 'drain')
    },
    finish: async () => {},
    discard: async () => {},
  }
}
