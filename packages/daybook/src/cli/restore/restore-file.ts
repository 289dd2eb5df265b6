import { resolve } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { FileRestore } from '../../content/assets/file-restore.ts'
import type { Engine } from '../../content/engine.ts'
import type { ExportCounts } from '../../content/transfer/export-lines.ts'
import { LineError, type PreparedLine, prepareLine, Restore, whyNotRestored } from '../../content/transfer/restore.ts'
import { checkLine, readCounts, readHeader, readLine } from '../../content/transfer/restore-lines.ts'
import { StartupError } from '../../errors.ts'
import { ASSETS } from '../../fields/relations/asset.ts'
import { compileModel } from '../../model/compile.ts'
import type { Model } from '../../model/model.ts'
import { type EngineOptions, openEngine } from '../../service.ts'
import { loadConfig } from '../config-file.ts'
import { describeCounts } from '../export/summary.ts'
import { FileFolder } from '../files/file-folder.ts'
import { fileErrorReason } from '../import/file-error.ts'
import { type CommandLine, dataFolder } from '../options.ts'
import { Progress, printable } from '../progress.ts'
import { ExportFile, FileDigest, FileFault, type FileLine } from './export-file.ts'
import { requireFile, restoreFiles } from './restore-files.ts'

/** Nothing is rendered, and no client waits for an answer. */
const RESTORED: EngineOptions = { isServing: false, isRestored: true }
/** The most lines that are stored together, and the most characters of more than one. */
const MAX_LINES = 1000
const MAX_CHARACTERS = 4 * 1024 * 1024
/** After so many lines, what the database has answered comes first. */
const TURN_LINES = 25
/** The most faults that are named. */
const MAX_NAMED_LINES = 20

/**
 * `daybook import FILE`: restores an export into an empty service, or goes on with that. Nothing is stored of a file that
 * has a fault. Answers 0 when all is there, else 1.
 *
 * @throws {StartupError} when the file is no whole export, or the store is not empty
 */
export async function restoreFile(options: CommandLine, path: string): Promise<number> {
  const config = await loadConfig(options.text('config'))
  const model = compileModel(config)
  const file = new ExportFile(path)
  const counts = await readEnds(file, model)
  const from = options.text('files')
  const folder = from === undefined ? undefined : new FileFolder(from)
  const { engine, files, close } = await openEngine(model, config, resolve(dataFolder(options)), RESTORED)
  try {
    const fault = await whyNotRestored(engine)
    if (fault !== undefined) throw new StartupError(fault)
    const digest = await checkFile({ file, model, folder }, counts)
    if (digest === undefined) return 1
    const restore = await Restore.begin(engine, digest)
    if (restore.isDone) return printReport(`${path} is restored already`)
    await warnOfServices(engine)
    const total = counts.collections[ASSETS] ?? 0
    const fileRestore = await FileRestore.begin(files, engine.store)
    if (folder) await restoreFiles({ file, model, folder, restore: fileRestore, total })
    await restoreLines(file, model, restore, totalOf(counts))
    await restore.end()
    await fileRestore.end()
    if (!folder && total > 0) process.stderr.write(withoutFiles(total))
    return printReport(`restored ${describeCounts(counts)}, from ${path}`)
  } catch (error) {
    throw error instanceof FileFault ? new StartupError(`${path}: ${error.message}`) : error
  } finally {
    await close()
  }
}

/** Services do not start on a store while it is restored, but those that run may write to it. */
async function warnOfServices({ store }: Engine): Promise<void> {
  const names = ((await store.listServices()) ?? []).map(({ name }) => name)
  if (names.length === 0) return
  process.stderr.write(
    `These processes serve the store: ${names.toSorted().join(', ')}. Stop them: the restore cannot go on once they have written to it.\n`,
  )
}

const withoutFiles = (count: number): string =>
  `An export holds no files: those of ${count} assets have to be in the store of files. To bring files along, add --files DIR.\n`

/** What is checked before anything is stored. */
interface CheckedExport {
  readonly file: ExportFile
  readonly model: Model
  /** Where files are brought from. */
  readonly folder: FileFolder | undefined
}

function printReport(line: string): number {
  process.stdout.write(`${line}\n`)
  return 0
}

/** Header and counts, before all that lies between is read. */
async function readEnds(file: ExportFile, model: Model): Promise<ExportCounts> {
  const { path } = file
  try {
    readHeader(await file.first(), model)
  } catch (error) {
    throw error instanceof StartupError ? new StartupError(`${path} cannot be restored: ${error.message}`) : error
  }
  const last = await file.last()
  const counts = last === undefined ? undefined : readCounts(last)
  if (!counts) throw new StartupError(`${path} is incomplete: its last line with the counts is missing. Export again.`)
  return counts
}

const totalOf = ({ collections, globals }: ExportCounts): number =>
  Object.values(collections).reduce((sum, count) => sum + count, globals)

/** Reads every line and names those with faults; answers the file's digest when there are none. */
async function checkFile(checked: CheckedExport, counts: ExportCounts): Promise<string | undefined> {
  const { file } = checked
  const total = totalOf(counts)
  const progress = new Progress({ unit: 'lines checked', total }, process.stderr)
  const digest = new FileDigest()
  let lines = 0
  let faults = 0
  try {
    for await (const line of file.lines((bytes) => digest.add(bytes))) {
      lines = line.number
      if (line.number === 1 || line.number === total + 2) continue
      const reason = await lineFault(line, checked)
      if (reason === undefined) progress.update(line.number - 1, faults)
      else if (++faults <= MAX_NAMED_LINES) progress.say(`line ${line.number}: ${reason}`)
    }
  } finally {
    progress.end()
  }
  if (lines !== total + 2) throw new FileFault(`has ${lines} lines, and its counts tell of ${total + 2}`)
  if (faults > 0) process.stdout.write(`${faults} of ${total} lines have faults; nothing is stored of this file\n`)
  return faults > 0 ? undefined : digest.end()
}

async function lineFault({ text }: FileLine, { model, folder }: CheckedExport): Promise<string | undefined> {
  try {
    const read = readLine(text, model)
    checkLine(read)
    if (folder) await requireFile(read, folder)
    return undefined
  } catch (error) {
    return fileErrorReason(error)
  }
}

/** Stores what has not arrived yet, some lines at a time. While some are being stored, the next ones are read. */
async function restoreLines(file: ExportFile, model: Model, restore: Restore, total: number): Promise<void> {
  const progress = new Progress({ unit: 'lines restored', total, done: restore.lines - 1 }, process.stderr)
  const ahead = batches(file, model, restore.lines, total + 1)
  try {
    for (let next = await ahead.next(); !next.done; ) {
      const [following] = await Promise.all([ahead.next(), add(restore, next.value)])
      progress.update(restore.lines - 1)
      next = following
    }
  } finally {
    await ahead.return()
    progress.end()
  }
}

/** The lines behind one and up to another, as many together as fit. */
async function* batches(
  file: ExportFile,
  model: Model,
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

async function add(restore: Restore, batch: readonly PreparedLine[]): Promise<void> {
  try {
    await restore.add(batch)
  } catch (error) {
    if (!(error instanceof LineError)) throw error
    const line = restore.lines + 1 + error.index
    throw new StartupError(
      printable(`line ${line}: ${fileErrorReason(error.cause)} The restore stops before it. ${RESTORE_ADVICE}`),
    )
  }
}

const RESTORE_ADVICE = 'Mend the file, and restore it into another empty store.'
