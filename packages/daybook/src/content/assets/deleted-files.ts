import pLimit from 'p-limit'
import type { BlobStore } from '../../assets/blob-store.ts'
import { DaybookError } from '../../errors.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { DeletedRow } from '../../store/reads/history-reader.ts'
import type { Store } from '../../store/store.ts'

/** The prefix of the keys under which the bytes of deleted assets are kept; nothing below it is public. */
const DELETED = '.deleted/'
/** The number of keys that one read of the journal compares, and of blobs that are removed at a time. */
const PURGE_BATCH = 100
const REMOVED_AT_ONCE = 8

/** The file of a deleted asset that can be restored. */
export interface DeletedFile {
  /** The number of the deletion in the journal. */
  readonly deletion: number
  /** The path that it had, and gets again. */
  readonly path: string
  /** In bytes. */
  readonly size: number
  /** The key of its bytes while they are kept: it names the digest, so that a journal that begins anew finds no bytes of others. */
  readonly key: string
}

/** True if a deleted entry was deleted so recently that it can be restored. */
export const isRestorable = (
  { restorableMs }: Pick<CollectionModel, 'restorableMs'>,
  { at }: Pick<DeletedRow, 'at'>,
): boolean => Date.parse(at) + restorableMs > Date.now()

/** The error of a deleted file whose bytes were removed. */
export const bytesGoneError = (): DaybookError =>
  new DaybookError('NOT_FOUND', 'The bytes of this file are no longer kept, so it cannot be restored. Upload it again.')

/** The parts that {@link DeletedFiles} needs. */
export interface DeletedFilesParts {
  readonly store: Store
  readonly assets: () => CollectionModel
  readonly blobs: () => Promise<BlobStore>
}

/**
 * The bytes of deleted assets. The journal tells which of them can be restored. As the path of an asset is public and may get
 * another file, the bytes lie under a key of Daybook until they are restored or purged.
 */
export class DeletedFiles {
  readonly #parts: DeletedFilesParts

  constructor(parts: DeletedFilesParts) {
    this.#parts = parts
  }

  /** Finds the file of a deleted asset by the id of the asset; `undefined`: the asset cannot be restored. */
  async findByAsset(id: string): Promise<DeletedFile | undefined> {
    const { store, assets } = this.#parts
    const row = await store.read.history.deletedEntry({ collection: assets().key, id })
    return row && isRestorable(assets(), row) ? toDeletedFile(row) : undefined
  }

  /** True if the bytes of a file are there, also if they still lie under its path. */
  async hasBytes({ key, path, size }: DeletedFile): Promise<boolean> {
    const blobs = await this.#parts.blobs()
    return (await blobs.size(key)) === size || (await blobs.size(path)) === size
  }

  /**
   * Clears a path that no asset has, under a claim to it: keeps the bytes for the deletion that left them there, and removes all
   * others. It goes on where a crash has broken it off.
   *
   * @param deletion the number in the journal of the deletion whose bytes may lie there; 0: none
   */
  async clearPath(path: string, deletion: number): Promise<void> {
    const blobs = await this.#parts.blobs()
    const file = deletion === 0 ? undefined : (await this.#findInRange(deletion, deletion))[0]
    const isWhole = file?.path === path && (await blobs.size(path)) === file.size
    if (file && isWhole && (await blobs.size(file.key)) !== file.size) {
      // A move that broke off has left a part of the bytes.
      await blobs.delete(file.key)
      await blobs.move(path, file.key)
    } else await blobs.delete(path)
  }

  /** Brings the bytes of a file back to its path. @returns the reason if they do not come there */
  async moveBack({ key, path, size }: DeletedFile): Promise<DaybookError | undefined> {
    const blobs = await this.#parts.blobs()
    if ((await blobs.size(key)) !== size) return bytesGoneError()
    if (await blobs.move(key, path)) return undefined
    return (await blobs.size(key)) === undefined ? bytesGoneError() : pathTakenSinceError(path)
  }

  /** Removes the bytes of assets that cannot be restored: the time is over, or the journal no longer has their content. */
  async purge(): Promise<void> {
    const blobs = await this.#parts.blobs()
    const keys: string[] = []
    for await (const { key } of blobs.list(DELETED)) keys.push(key)
    keys.sort((a, b) => deletionIn(a) - deletionIn(b))
    const limit = pLimit(REMOVED_AT_ONCE)
    for (let at = 0; at < keys.length; at += PURGE_BATCH) {
      const batch = keys.slice(at, at + PURGE_BATCH)
      const files = await this.#findInRange(deletionIn(batch[0] ?? ''), deletionIn(batch.at(-1) ?? ''))
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

/** The error of a path that has got another file since the deletion. */
export const pathTakenSinceError = (path: string): DaybookError =>
  new DaybookError('CONFLICT', `There is another file ${path} now. Delete it, then restore this one.`, {
    field: 'filename',
  })

function toDeletedFile({ seq, text }: DeletedRow): DeletedFile {
  const { path, size, sha256 } = JSON.parse(text)
  return { deletion: seq, path, size, key: `${DELETED}${sha256}.${seq}` }
}

/** The number of the deletion in a key; 0: the key names none. */
const deletionIn = (key: string): number => Number(/\.(\d{1,15})$/.exec(key)?.[1] ?? 0)
