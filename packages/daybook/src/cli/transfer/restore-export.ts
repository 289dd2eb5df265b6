import { resolve } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { isBlobKey, isInternalKey } from '../../assets/blob-store.ts'
import { DigestMismatch } from '../../content/assets/digest.ts'
import { FileRestore } from '../../content/assets/file-restore.ts'
import type { StoredAssetFile } from '../../content/assets/stored-files.ts'
import type { ContentContext } from '../../content/context.ts'
import {
  checkLine,
  type ExportCounts,
  findRestoreObstacle,
  LineError,
  type PreparedLine,
  prepareLine,
  Restore,
  type RestoreLine,
  readCounts,
  readHeader,
  readLine,
} from '../../content/transfer/index.ts'
import { StartupError } from '../../errors.ts'
import { ASSETS } from '../../fields/asset.ts'
import { compileModel } from '../../model/compile.ts'
import type { Model } from '../../model/model.ts'
import { type ContentOptions, openContent } from '../../service/open-content.ts'
import type { CommonOptions } from '../command.ts'
import { dataFolder, loadConfig } from '../config-file.ts'
import { FileError, formatFileError } from '../import/file-error.ts'
import { Progress, printLine, printNotice, toPrintable } from '../output.ts'
import { getBlobHeaders } from './asset-files.ts'
import { DigestFolder, isDigest } from './digest-folder.ts'
import { describeCounts, ExportFile, FileDigest, FileFault, type FileLine } from './export-file.ts'

/** Nothing is rendered, and no client waits for a response. */
const RESTORED: ContentOptions = { isServing: false, isRestored: true }
/** The maximum number of lines in a batch, and of characters in a batch of several lines. */
const MAX_LINES = 1000
const MAX_CHARACTERS = 4 * 1024 * 1024
/** The number of lines after which the event loop handles results of the database. */
const TURN_LINES = 25
/** The maximum number of printed faults. */
const MAX_NAMED_LINES = 20

/** The options of `daybook import FILE`. */
export interface RestoreOptions extends CommonOptions {
  readonly files?: string
}

/**
 * `daybook import FILE`: restores an export into an empty service, or continues a restore. Nothing of a file with faults is stored,
 * and the status is 1.
 *
 * @throws {StartupError} if the file is no complete export, or the store is not empty
 */
export async function restoreExport(path: string, options: RestoreOptions): Promise<number> {
  const config = await loadConfig(options.config)
  const model = compileModel(config)
  const file = new ExportFile(path)
  const counts = await readEnds(file, model)
  const folder = options.files === undefined ? undefined : new DigestFolder(options.files)
  const { context, files, close } = await openContent(model, config, resolve(dataFolder(options)), RESTORED)
  try {
    const fault = await findRestoreObstacle(context)
    if (fault !== undefined) throw new StartupError(fault)
    const content = { file, model, folder }
    const digest = await checkFile(content, counts)
    if (digest === undefined) return 1
    const restore = await Restore.begin(context, digest)
    if (restore.isDone) {
      printLine(`${path} is already restored`)
      return 0
    }
    await warnOfServices(context)
    const total = counts.collections[ASSETS] ?? 0
    const fileRestore = await FileRestore.begin(files, context.store)
    if (folder) await restoreFiles({ file, model, folder }, fileRestore, total)
    await restoreLines(content, restore, countLines(counts))
    await restore.end()
    await fileRestore.end()
    if (!folder && total > 0)
      printNotice(
        `An export contains no files: those of ${total} assets must be in the file store. To restore files as well, add --files DIR.`,
      )
    printLine(`restored ${describeCounts(counts)}, from ${path}`)
    return 0
  } catch (error) {
    throw error instanceof FileFault ? new StartupError(`${path}: ${error.message}`) : error
  } finally {
    await close()
  }
}

/** Warns of running services, which may write to the store. During a restore, no service starts on it. */
async function warnOfServices({ store }: ContentContext): Promise<void> {
  const names = ((await store.database.listServices?.()) ?? []).map(({ name }) => name)
  if (names.length === 0) return
  printNotice(
    `These processes serve the store: ${names.toSorted().join(', ')}. Stop them: the restore cannot continue once they have written to it.`,
  )
}

/** An export, with the model and the files that its lines are checked against. */
interface ExportContent {
  readonly file: ExportFile
  readonly model: Model
  /** The folder of the files; `undefined`: they are not restored. */
  readonly folder: DigestFolder | undefined
}

/** Checks the header, and reads the counts in the last line. */
async function readEnds(file: ExportFile, model: Model): Promise<ExportCounts> {
  const { path } = file
  try {
    readHeader(await file.first(), model)
  } catch (error) {
    throw error instanceof StartupError ? new StartupError(`${path} cannot be restored. ${error.message}`) : error
  }
  const last = await file.last()
  const counts = last === undefined ? undefined : readCounts(last)
  if (!counts) throw new StartupError(`${path} is incomplete: its last line with the counts is missing. Export again.`)
  return counts
}

const countLines = ({ collections, globals }: ExportCounts): number =>
  Object.values(collections).reduce((sum, count) => sum + count, globals)

/** Reads every line and prints the faults; returns the digest of the file if there are none. */
async function checkFile(content: ExportContent, counts: ExportCounts): Promise<string | undefined> {
  const { file } = content
  const total = countLines(counts)
  using progress = new Progress({ unit: 'lines checked', total })
  const digest = new FileDigest()
  let lines = 0
  let faults = 0
  for await (const line of file.lines((bytes) => digest.add(bytes))) {
    lines = line.number
    if (line.number === 1 || line.number === total + 2) continue
    const reason = await findFault(line, content)
    if (reason === undefined) progress.update(line.number - 1, faults)
    else if (++faults <= MAX_NAMED_LINES) progress.say(`${file.path}, line ${line.number}: ${reason}`)
  }
  if (lines !== total + 2) throw new FileFault(`The file has ${lines} lines, but its last line counts ${total + 2}.`)
  if (faults > 0) printLine(`${faults} of ${total} lines are invalid. Nothing of this file was stored.`)
  return faults > 0 ? undefined : digest.end()
}

async function findFault({ text }: FileLine, { model, folder }: ExportContent): Promise<string | undefined> {
  try {
    const line = readLine(text, model)
    checkLine(line)
    if (folder) await requireFile(line, folder)
    return undefined
  } catch (error) {
    return formatFileError(error)
  }
}

/** Stores the remaining lines in batches. The next batch is read while one is stored. */
async function restoreLines(content: ExportContent, restore: Restore, total: number): Promise<void> {
  using progress = new Progress({ unit: 'lines restored', total, done: restore.lines - 1 })
  const batches = prepareBatches(content, restore.lines, total + 1)
  try {
    for (let next = await batches.next(); !next.done; ) {
      const [following] = await Promise.all([batches.next(), storeBatch(content.file.path, restore, next.value)])
      progress.update(restore.lines - 1)
      next = following
    }
  } finally {
    await batches.return()
  }
}

/** Prepares lines in batches, from the one after `after` to `last`. */
async function* prepareBatches(
  { file, model }: ExportContent,
  after: number,
  last: number,
): AsyncGenerator<readonly PreparedLine[], void, void> {
  let batch: PreparedLine[] = []
  let characters = 0
  for await (const { number, text } of file.lines()) {
    if (number <= after || number > last) continue
    if (batch.length === MAX_LINES || (batch.length > 0 && characters + text.length > MAX_CHARACTERS)) {
      yield batch
      batch = []
      characters = 0
    }
    if (number % TURN_LINES === 0) await turn()
    batch.push(prepareLine(model, readLine(text, model)))
    characters += text.length
  }
  if (batch.length > 0) yield batch
}

async function storeBatch(path: string, restore: Restore, batch: readonly PreparedLine[]): Promise<void> {
  try {
    await restore.add(batch)
  } catch (error) {
    if (!(error instanceof LineError)) throw error
    const line = restore.lines + 1 + error.index
    throw new StartupError(
      toPrintable(
        `${path}, line ${line}: ${formatFileError(error.cause)} The restore stops before it. ${RESTORE_ADVICE}`,
      ),
    )
  }
}

const RESTORE_ADVICE = 'Fix the file, and restore it into another empty store.'

type FilesContent = ExportContent & { readonly folder: DigestFolder }

/** Restores the files of all assets of an export to their paths. Existing files stay. */
async function restoreFiles({ file, model, folder }: FilesContent, restore: FileRestore, total: number): Promise<void> {
  using progress = new Progress({ unit: 'files restored', total })
  let done = 0
  for await (const { number, text } of file.lines()) {
    if (done === total) break
    const asset = number === 1 ? undefined : readAsset(readLine(text, model))
    if (!asset) continue
    await restore
      .restoreFile(asset, getBlobHeaders(asset), async () => folder.read(asset.sha256))
      .catch((error) => {
        if (!(error instanceof DigestMismatch)) throw error
        throw new StartupError(
          `${folder.getPath(asset.sha256)} has changed during the restore. Run the same command again.`,
        )
      })
    progress.update(++done)
  }
}

/** @throws {FileError} if the folder lacks the file of an asset's line */
async function requireFile(line: RestoreLine, folder: DigestFolder): Promise<void> {
  const asset = readAsset(line)
  if (!asset || (await folder.has(asset.sha256))) return
  const fault = (await folder.exists(asset.sha256)) ? 'has bytes that do not match its name' : 'is missing'
  throw new FileError(`The file ${folder.getPath(asset.sha256)} ${fault}.`)
}

/**
 * Returns the file of an asset; `undefined` for the line of another document.
 *
 * @throws {FileError} if the path or the digest is invalid
 */
function readAsset(line: RestoreLine): StoredAssetFile | undefined {
  if (line.kind !== 'entry' || line.collection.key !== ASSETS) return undefined
  const { document } = line.line
  const { path, sha256, filename, originalName, mimeType } = document
  if (typeof path !== 'string' || !isBlobKey(path) || isInternalKey(path))
    throw new FileError('must be the path of a file', { path: '/document/path' })
  if (!isDigest(sha256)) throw new FileError('must be a hexadecimal SHA-256 digest', { path: '/document/sha256' })
  if ([filename, originalName, mimeType].some((text) => typeof text !== 'string'))
    throw new FileError('must have filename, originalName and mimeType as strings', { path: '/document' })
  return document as unknown as StoredAssetFile
}
