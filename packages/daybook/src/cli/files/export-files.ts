import pLimit from 'p-limit'
import type { BlobStore } from '../../assets/blob-store.ts'
import { OtherBytes } from '../../content/assets/digest.ts'
import { type StoredFile, storedFiles } from '../../content/assets/stored-files.ts'
import type { Model } from '../../model/model.ts'
import type { Reader } from '../../store/reads/read.ts'
import { Progress, printable } from '../progress.ts'
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
  /** The paths of files that are missing or altered, each with what is wrong with it. */
  readonly faults: readonly string[]
}

/** Writes the files of all assets to a folder, each once; those that are there, and whole, are not read again. */
export async function exportFiles({ model, read, blobs, folder, since, total }: FilesExport): Promise<FilesOutcome> {
  const progress = new Progress({ unit: 'files', total }, process.stderr)
  const counts = { written: 0, there: 0 }
  const faults: string[] = []
  const limit = pLimit(READ_AT_ONCE)
  const begun = new Set<string>()
  const take = async (file: StoredFile): Promise<void> => {
    if (begun.has(file.sha256)) return
    begun.add(file.sha256)
    const outcome = await limit(() => exportFile(file, blobs, folder))
    if (outcome === 'written' || outcome === 'there') counts[outcome] += 1
    else faults.push(`${file.path}: ${outcome}`)
    progress.update(counts.written + counts.there, faults.length)
  }
  try {
    for await (const page of storedFiles(model, read, since)) await Promise.all(page.map(take))
    return { ...counts, faults }
  } finally {
    progress.end()
  }
}

/** @returns what is wrong, if anything is */
async function exportFile({ path, sha256 }: StoredFile, blobs: BlobStore, folder: FileFolder): Promise<string> {
  if (await folder.has(sha256)) return 'there'
  const found = await blobs.read(path)
  if (!found) return 'is not in the store of files'
  try {
    await folder.write(sha256, found.content)
    return 'written'
  } catch (error) {
    if (!(error instanceof OtherBytes)) throw error
    return 'is not the file that was uploaded: its digest is another one'
  }
}

/** The most faults that are named. */
const MAX_NAMED_FAULTS = 100

/** The faults of files, a line for each. */
export function describeFaults(faults: readonly string[]): string {
  const named = faults.slice(0, MAX_NAMED_FAULTS).map((fault) => `${printable(fault)}\n`)
  const unnamed = faults.length - named.length
  return named.join('') + (unnamed > 0 ? `… and ${unnamed} more\n` : '')
}
