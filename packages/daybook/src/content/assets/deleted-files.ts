import pLimit from 'p-limit'
import type { BlobStore } from '../../assets/blob-store.ts'
import { DaybookError } from '../../errors.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { DeletedRow } from '../../store/reads/history-reader.ts'
import type { Store } from '../../store/store.ts'

/** The prefix of the keys under which the bytes of deleted assets are kept, which are not public. */
const DELETED_PREFIX = '.deleted/'
/** The number of keys that one read of the journal compares, and of blobs that are removed at the same time. */
const PURGE_BATCH = 100
const MAX_CONCURRENT_REMOVALS = 8

export interface DeletedFile {
  /** The journal's number of the deletion. */
  readonly deletion: number
  /** The former and future path. */
  readonly path: string
  /** In bytes. */
  readonly size: number
  /** The key of the kept bytes. It contains the digest, so that a new journal with the same numbers finds no other bytes. */
  readonly key: string
}

/** Returns true if an entry was deleted recently enough to be restored. */
export const isRestorable = (
  { restorableMs }: Pick<CollectionModel, 'restorableMs'>,
  { at }: Pick<DeletedRow, 'at'>,
): boolean => Date.parse(at) + restorableMs > Date.now()

export const bytesGoneError = (): DaybookError =>
  new DaybookError('NOT_FOUND', 'The bytes of this file are no longer kept, so it cannot be restored. Upload it again.')

export interface DeletedFilesParts {
  readonly store: Store
  readonly assets: () => CollectionModel
  readonly blobs: () => Promise<BlobStore>
}

/**
 * The bytes of deleted assets, which the journal refers to while they can be restored. Since the path of an asset is public and may
 * get another file, the bytes have an internal key until they are restored or purged.
 */
export class DeletedFiles {
  readonly #parts: DeletedFilesParts

  constructor(parts: DeletedFilesParts) {
    this.#parts = parts
  }

  /** Finds the file of a deleted asset by the asset's id; `undefined` if the asset cannot be restored. */
  async findByAsset(id: string): Promise<DeletedFile | undefined> {
    const { store, assets } = this.#parts
    const row = await store.read.history.deletedEntry({ collection: assets().key, id })
    return row && isRestorable(assets(), row) ? toDeletedFile(row) : undefined
  }

  /** Returns true if the bytes of a file exist, also if they are still at its path. */
  async hasBytes({ key, path, size }: DeletedFile): Promise<boolean> {
    const blobs = await this.#parts.blobs()
    return (await blobs.size(key)) === size || (await blobs.size(path)) === size
  }

  /**
   * Clears a claimed path that no asset has: keeps the bytes of a restorable deletion, and removes all others. Resumes after a crash.
   *
   * @param deletion the journal's number of the deletion whose bytes may be at the path; 0: none
   */
  async clearPath(path: string, deletion: number): Promise<void> {
    const blobs = await this.#parts.blobs()
    const file = deletion === 0 ? undefined : (await this.#findInRange(deletion, deletion))[0]
    const isComplete = file?.path === path && (await blobs.size(path)) === file.size
    if (file && isComplete && (await blobs.size(file.key)) !== file.size) {
      // An interrupted move may have left a part of the bytes.
      await blobs.delete(file.key)
      await blobs.move(path, file.key)
    } else await blobs.delete(path)
  }

  /** Moves the bytes of a file back to its path. @returns the error if that fails */
  async moveBack({ key, path, size }: DeletedFile): Promise<DaybookError | undefined> {
    const blobs = await this.#parts.blobs()
    if ((await blobs.size(key)) !== size) return bytesGoneError()
    if (await blobs.move(key, path)) return undefined
    return (await blobs.size(key)) === undefined ? bytesGoneError() : pathTakenSinceError(path)
  }

  /** Removes the bytes of assets that can no longer be restored, by their age or because the journal has lost their content. */
  async purge(): Promise<void> {
    const blobs = await this.#parts.blobs()
    const keys: string[] = []
    for await (const { key } of blobs.list(DELETED_PREFIX)) keys.push(key)
    keys.sort((a, b) => parseDeletion(a) - parseDeletion(b))
    const limit = pLimit(MAX_CONCURRENT_REMOVALS)
    for (let at = 0; at < keys.length; at += PURGE_BATCH) {
      const batch = keys.slice(at, at + PURGE_BATCH)
      const files = await this.#findInRange(parseDeletion(batch[0] ?? ''), parseDeletion(batch.at(-1) ?? ''))
      const needed = new Set(files.map(({ key }) => key))
      const surplus = batch.filter((key) => !needed.has(key))
      await Promise.all(surplus.map((key) => limit(() => blobs.delete(key))))
    }
  }

  async #findInRange(first: number, last: number): Promise<readonly DeletedFile[]> {
    const { store, assets } = this.#parts
    const rows = await store.read.history.deletedEntries(assets().key, { from: first, before: last + 1 })
    return rows.filter((row) => isRestorable(assets(), row)).map(toDeletedFile)
  }
}

export const pathTakenSinceError = (path: string): DaybookError =>
  new DaybookError(
    'CONFLICT',
    `The path ${path} is already used by another file. Delete that file, then restore this one.`,
    {
      field: 'filename',
    },
  )

function toDeletedFile({ seq, text }: DeletedRow): DeletedFile {
  const { path, size, sha256 } = JSON.parse(text)
  return { deletion: seq, path, size, key: `${DELETED_PREFIX}${sha256}.${seq}` }
}

/** Returns the number of the deletion in a key; 0 if there is none. */
const parseDeletion = (key: string): number => Number(/\.(\d{1,15})$/.exec(key)?.[1] ?? 0)
