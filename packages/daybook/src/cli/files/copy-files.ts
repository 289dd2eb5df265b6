import { pipeline, type Readable } from 'node:stream'
import pLimit from 'p-limit'
import type { BlobStore } from '../../assets/blob-store.ts'
import { digestOf, OtherBytes, verifyDigest } from '../../content/assets/digest.ts'
import { ProcessName } from '../../content/assets/process-name.ts'
import { type StoredFile, storedFiles } from '../../content/assets/stored-files.ts'
import type { Model } from '../../model/model.ts'
import type { Reader } from '../../store/reads/read.ts'
import { Progress } from '../progress.ts'
import { headersOf } from './headers.ts'

/** How many files are copied at a time. */
const COPIED_AT_ONCE = 4

/** The files to copy, their source and their target. */
export interface FilesCopy {
  readonly model: Model
  readonly read: Reader
  /** Reads the bytes of a file; `undefined`: the source has none. */
  readonly from: (file: StoredFile) => Promise<Readable | undefined>
  readonly to: BlobStore
  /** How many there are, for the progress. */
  readonly total: number
  /** Whether files that are not there are only named. */
  readonly isVerified: boolean
}

/** What became of the files. */
export interface CopiedFiles {
  readonly copied: number
  readonly there: number
  /** Those that are missing or other ones. */
  readonly faulty: number
}

/** Copies the files of all assets to a store of files; those that are there, with the same bytes, stay. */
export async function copyFiles({ model, read, from, to, total, isVerified }: FilesCopy): Promise<CopiedFiles> {
  const progress = new Progress({ unit: 'files', total }, process.stderr)
  const names = new ProcessName()
  const counts = { copied: 0, there: 0, faulty: 0 }
  const limit = pLimit(COPIED_AT_ONCE)
  const take = async (file: StoredFile): Promise<void> => {
    const outcome =
      (await isThere(file, to)) ?? (isVerified ? LACKING : await copyFile(file, from, to, names.newName()))
    const isDone = outcome === 'there' || outcome === 'copied'
    counts[isDone ? outcome : 'faulty'] += 1
    if (!isDone) progress.say(`${file.path}: ${outcome}`)
    progress.update(counts.copied + counts.there, counts.faulty)
  }
  try {
    for await (const page of storedFiles(model, read)) await Promise.all(page.map((file) => limit(take, file)))
    return counts
  } finally {
    progress.end()
  }
}

const LACKING = 'is not in the new store of files'
const TAKEN = 'the store of files has another file there'

async function isThere({ path, sha256 }: StoredFile, to: BlobStore): Promise<'there' | typeof TAKEN | undefined> {
  const found = await to.read(path)
  if (!found) return undefined
  return (await digestOf(found.content)) === sha256 ? 'there' : TAKEN
}

/** @returns what is wrong, if anything is */
async function copyFile(file: StoredFile, from: FilesCopy['from'], to: BlobStore, staged: string): Promise<string> {
  const content = await from(file)
  if (!content) return 'the source does not have it'
  try {
    await to.stage(
      staged,
      pipeline(content, verifyDigest(file.sha256), () => {}),
      new AbortController().signal,
    )
  } catch (error) {
    if (error instanceof OtherBytes) return 'is not the file that was uploaded: its digest is another one'
    throw error
  }
  if (await to.publish(staged, file.path, headersOf(file))) return 'copied'
  await to.discard(staged)
  return TAKEN
}
