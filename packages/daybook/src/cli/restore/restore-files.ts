import { isBlobKey, isOwnKey } from '../../assets/blob-key.ts'
import { OtherBytes } from '../../content/assets/digest.ts'
import type { FileRestore } from '../../content/assets/file-restore.ts'
import type { StoredFile } from '../../content/assets/stored-files.ts'
import { type RestoreLine, readLine } from '../../content/transfer/restore-lines.ts'
import { StartupError } from '../../errors.ts'
import { ASSETS } from '../../fields/relations/asset.ts'
import type { Model } from '../../model/model.ts'
import { type FileFolder, isDigest } from '../files/file-folder.ts'
import { headersOf } from '../files/headers.ts'
import { FileError } from '../import/file-error.ts'
import { Progress } from '../progress.ts'
import type { ExportFile } from './export-file.ts'

/** The file of a line; `undefined`: it is no asset's. @throws {FileError} when it names no file that could be stored */
function fileOf(read: RestoreLine): StoredFile | undefined {
  if (read.kind !== 'entry' || read.collection.key !== ASSETS) return undefined
  const { path, sha256, filename, originalName, mimeType } = read.line.document
  if (typeof path !== 'string' || !isBlobKey(path) || isOwnKey(path))
    throw new FileError('is no path of a file', { path: '/document/path' })
  if (!isDigest(sha256)) throw new FileError('is no digest in hex', { path: '/document/sha256' })
  const hasNames = [filename, originalName, mimeType].every((one) => typeof one === 'string')
  if (!hasNames) throw new FileError('lacks the name or the type of the file', { path: '/document' })
  return read.line.document as unknown as StoredFile
}

/** @throws {FileError} when a line is an asset's, and the folder lacks its file */
export async function requireFile(read: RestoreLine, folder: FileFolder): Promise<void> {
  const file = fileOf(read)
  if (!file || (await folder.has(file.sha256))) return
  const fault = (await folder.exists(file.sha256)) ? 'has other bytes than its name says' : 'is missing'
  throw new FileError(`${folder.pathOf(file.sha256)} ${fault}`)
}

/** What files are restored from. */
export interface RestoredFiles {
  readonly file: ExportFile
  readonly model: Model
  readonly folder: FileFolder
  readonly restore: FileRestore
  readonly total: number
}

/** Brings the files of all assets that an export tells of to their paths; those that are there stay. */
export async function restoreFiles({ file, model, folder, restore, total }: RestoredFiles): Promise<void> {
  const progress = new Progress({ unit: 'files restored', total }, process.stderr)
  let done = 0
  try {
    for await (const { number, text } of file.lines()) {
      if (done === total) break
      const asset = number === 1 ? undefined : fileOf(readLine(text, model))
      if (!asset) continue
      await bring(asset, folder, restore)
      progress.update(++done)
    }
  } finally {
    progress.end()
  }
}

async function bring(asset: StoredFile, folder: FileFolder, restore: FileRestore): Promise<void> {
  const { sha256 } = asset
  try {
    await restore.bring(asset, headersOf(asset), async () => folder.read(sha256))
  } catch (error) {
    if (!(error instanceof OtherBytes)) throw error
    throw new StartupError(`${folder.pathOf(sha256)} has changed meanwhile. Run the same command again.`)
  }
}
