import { pipeline, type Readable } from 'node:stream'
import pLimit from 'p-limit'
import type { BlobHeaders, BlobStore } from '../../assets/blob-store.ts'
import { disk } from '../../assets/disk.ts'
import { formatDisposition, servedType } from '../../assets/media-type.ts'
import type { DaybookConfig } from '../../config/config.ts'
import { computeDigest, DigestMismatch, verifyDigest } from '../../content/assets/digest.ts'
import { ProcessName } from '../../content/assets/process-name.ts'
import { countStoredFiles, readStoredFiles, type StoredAssetFile } from '../../content/assets/stored-files.ts'
import type { Model } from '../../model/model.ts'
import type { Reader } from '../../store/reads/reader.ts'
import { Progress, toPrintable } from '../output.ts'
import type { DigestFolder } from './digest-folder.ts'

/** The number of files that are transferred at a time. */
const FILES_AT_ONCE = 4
/** The maximum number of printed faults. */
const MAX_NAMED_FAULTS = 100

export interface AssetFiles {
  readonly model: Model
  readonly read: Reader
  /** The number of the journal after which the assets changed. @default 0 */
  readonly since?: number | undefined
}

export interface FilesOutcome {
  readonly written: number
  readonly existing: number
  /** The paths of files that are missing or altered, each with the reason. */
  readonly faults: readonly string[]
}

/** The outcome of one file; `fault` is a reason. */
type FileOutcome = 'written' | 'existing' | 'skipped' | { readonly fault: string }

const ALTERED = { fault: 'The file differs from the one that was uploaded.' }
const OCCUPIED = { fault: 'The file store has another file at this path.' }

export function openBlobs({ assets = {} }: DaybookConfig, data: string): Promise<BlobStore> {
  return (assets.store ?? disk()).open({ data })
}

/** Writes the files of assets to a folder, each once. Existing intact files are skipped. */
export async function exportFiles(files: AssetFiles, blobs: BlobStore, folder: DigestFolder): Promise<FilesOutcome> {
  const begunDigests = new Set<string>()
  return transferFiles(files, async ({ path, sha256 }) => {
    if (begunDigests.has(sha256)) return 'skipped'
    begunDigests.add(sha256)
    if (await folder.has(sha256)) return 'existing'
    const file = await blobs.read(path)
    if (!file) return { fault: 'The file is missing in the file store.' }
    return writeUnlessAltered(() => folder.write(sha256, file.content))
  })
}

export interface FilesCopy extends AssetFiles {
  /** Reads the bytes of a file; `undefined`: the source has none. */
  from(file: StoredAssetFile): Promise<Readable | undefined>
  readonly to: BlobStore
  /** True if files are only compared. */
  readonly isVerified?: boolean | undefined
}

/** Copies the files of assets to a store of files. Existing files with the same bytes stay. */
export async function copyFiles({ from, to, isVerified = false, ...files }: FilesCopy): Promise<FilesOutcome> {
  const names = new ProcessName()
  return transferFiles(files, async (file) => {
    const existingFile = await to.read(file.path)
    if (existingFile) return (await computeDigest(existingFile.content)) === file.sha256 ? 'existing' : OCCUPIED
    if (isVerified) return { fault: 'The file is missing in the new file store.' }
    const content = await from(file)
    if (!content) return { fault: 'The file is missing in the source.' }
    const staged = names.createName()
    const verified = pipeline(content, verifyDigest(file.sha256), () => {})
    const outcome = await writeUnlessAltered(() => to.stage(staged, verified, new AbortController().signal))
    if (outcome !== 'written' || (await to.publish(staged, file.path, getBlobHeaders(file)))) return outcome
    await to.discard(staged)
    return OCCUPIED
  })
}

async function transferFiles(
  files: AssetFiles,
  transfer: (file: StoredAssetFile) => Promise<FileOutcome>,
): Promise<FilesOutcome> {
  const { model, read, since } = files
  using progress = new Progress({ unit: 'files', total: await countStoredFiles(model, read) })
  const counts = { written: 0, existing: 0, skipped: 0 }
  const faults: string[] = []
  const limit = pLimit(FILES_AT_ONCE)
  const transferOne = async (file: StoredAssetFile): Promise<void> => {
    const outcome = await transfer(file)
    if (typeof outcome === 'string') counts[outcome] += 1
    else faults.push(`${file.path}: ${outcome.fault}`)
    progress.update(counts.written + counts.existing, faults.length)
  }
  for await (const page of readStoredFiles(model, read, since))
    await Promise.all(page.map((file) => limit(transferOne, file)))
  return { ...counts, faults }
}

async function writeUnlessAltered(write: () => Promise<unknown>): Promise<FileOutcome> {
  try {
    await write()
    return 'written'
  } catch (error) {
    if (error instanceof DigestMismatch) return ALTERED
    throw error
  }
}

export function describeFaults(faults: readonly string[]): string {
  const lines = faults.slice(0, MAX_NAMED_FAULTS).map((fault) => `${toPrintable(fault)}\n`)
  const rest = faults.length - lines.length
  return lines.join('') + (rest > 0 ? `… and ${rest} more\n` : '')
}

/** Returns the headers that a store of files stores with the file of an asset. */
export const getBlobHeaders = ({ mimeType, filename, originalName }: StoredAssetFile): BlobHeaders => ({
  type: servedType(mimeType),
  disposition: formatDisposition(mimeType, filename, originalName),
})
