import pLimit from 'p-limit'
import type { BlobStore } from '../../assets/blob-store.ts'
import { OtherBytes } from '../../content/assets/digest.ts'
import { type StoredFile, storedFiles } from '../../content/assets/stored-files.ts'
import type { Model } from '../../model/model.ts'
import type { Reader } from '../../store/reads/read.ts'
import { Progress } from '../progress.ts'
import type { FileFolder } from './file-folder.ts'

/** How many files are read at a time. */
const READ_AT_ONCE = 4

/** Where the files of an export come from and go to. */
export interface FilesExport {
  readonly model: Model
  readonly read: Reader
  readonly blobs: BlobStore
  readonly folder: FileFolder
  /** The number of the journal after which their assets changed. @default 0 */
  readonly since: number | undefined
  /** How many there are at most, for the progress. */
  readonly total: number
}

/** What became of the files of an export. */
export interface FilesOutcome {
  /** How many were written. */
  readonly written: number
  /** How many were there already. */
  readonly there: number
  /** How many are missing or altered. */
  readonly faulty: number
}

/** Writes the files of all assets to a folder, each once; those that are there, and whole, are not read again. */
export async function exportFiles({ model, read, blobs, folder, since, total }: FilesExport): Promise<FilesOutcome> {
  const progress = new Progress({ unit: 'files', total }, process.stderr)
  const counts = { written: 0, there: 0, faulty: 0 }
  const limit = pLimit(READ_AT_ONCE)
  const once = new Map<string, Promise<keyof FilesOutcome>>()
  const take = async (file: StoredFile): Promise<void> => {
    const known = once.get(file.sha256)
    const outcome = await (known ??
      remember(
        once,
        file,
        limit(() => exportFile(file, blobs, folder, progress)),
      ))
    if (!known) counts[outcome] += 1
    progress.update(counts.written + counts.there, counts.faulty)
  }
  try {
    for await (const page of storedFiles(model, read, since)) await Promise.all(page.map(take))
    return counts
  } finally {
    progress.end()
  }
}

function remember<T>(made: Map<string, Promise<T>>, { sha256 }: StoredFile, promise: Promise<T>): Promise<T> {
  made.set(sha256, promise)
  return promise
}

async function exportFile(
  { path, sha256 }: StoredFile,
  blobs: BlobStore,
  folder: FileFolder,
  progress: Progress,
): Promise<keyof FilesOutcome> {
  if (await folder.has(sha256)) return 'there'
  const found = await blobs.read(path)
  try {
    if (found) await folder.write(sha256, found.content)
    if (found) return 'written'
    progress.say(`${path}: is not in the store of files`)
  } catch (error) {
    if (!(error instanceof OtherBytes)) throw error
    progress.say(`${path}: is not the file that was uploaded: its digest is another one`)
  }
  return 'faulty'
}
