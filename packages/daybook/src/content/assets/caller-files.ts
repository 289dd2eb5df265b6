import { Readable } from 'node:stream'
import type { ByteRange } from '../../assets/blob-store.ts'
import { FileBody } from '../../assets/file-body.ts'
import { createFilename } from '../../assets/file-names.ts'
import { fileTooLarge, type Intake } from '../../assets/intake.ts'
import type { DaybookConfig, Entry } from '../../config/config.ts'
import { DaybookError } from '../../errors.ts'
import { ASSETS } from '../../fields/asset.ts'
import { isStorableText } from '../../fields/text.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { EntryRow } from '../../store/rows.ts'
import type { Access } from '../access/access.ts'
import type { ContentContext } from '../context.ts'
import { readStoredValues } from '../documents/row.ts'
import { tagDocument } from '../reads/response.ts'
import { createWriteContext } from '../writes/context.ts'
import {
  type AssetPlace,
  createAsset,
  getAssetPath,
  toNewAsset,
  type UploadFields,
  validatePlace,
} from './create-asset.ts'
import { type Files, pathTakenError } from './files.ts'

/** The file of an asset that the caller may read. */
export interface StoredFile {
  readonly id: string
  /** Such as `images/2026/cat.png`. */
  readonly path: string
  readonly filename: string
  readonly originalName: string
  readonly mimeType: string
  /** In bytes. */
  readonly size: number
  /** The digest of the bytes, in hex. */
  readonly sha256: string
  /**
   * Opens the bytes, or a range of them, as the body of a `Response`; `null` if the file is missing. Read the stream to its end or cancel
   * it.
   *
   * @throws SERVICE_UNAVAILABLE
   */
  open(range?: ByteRange): Promise<ReadableStream<Uint8Array> | null>
}

/** The properties of a file to store. */
export interface NewFile extends UploadFields {
  /** The original name. Its extension determines the type of files without a signature. */
  readonly originalName: string
  /** Aborts the storing, which leaves nothing behind. */
  readonly signal?: AbortSignal
}

/**
 * The files of assets, for one caller.
 *
 * @example
 * ```ts
 * const file = await content.files.find('images/2026/cat.png')
 * const bytes = await file?.open()
 * ```
 */
export class CallerFiles<C extends DaybookConfig = DaybookConfig> {
  readonly #context: ContentContext
  readonly #access: () => Access

  constructor(context: ContentContext, access: () => Access) {
    this.#context = context
    this.#access = access
  }

  /** Finds the file at a path without `/uploads/`; `null` if there is none that the caller may read. */
  async find(path: string): Promise<StoredFile | null> {
    const { model, files } = this.#context
    const assets = model.collections.get(ASSETS)
    if (!assets || !files || !isStorableText(path)) return null
    const row = await this.#findVisible(assets, path)
    return row ? toStoredFile(files, assets, row) : null
  }

  get maxBytes(): number {
    return this.#requireFiles().intake.maxBytes
  }

  /**
   * Checks in advance if a file could be stored, and returns its place for `store`.
   *
   * @param size in bytes
   * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, PAYLOAD_TOO_LARGE; CONFLICT with `details.field` if a file has that name
   */
  async plan(size: number, { originalName, directory = '', filename }: NewFile): Promise<AssetPlace> {
    const { assets, intake } = this.#requireFiles()
    const place = { directory, filename: filename ?? createFilename(originalName) }
    validatePlace(place.directory, place.filename)
    await this.#access().authorizeWrite(assets, 'create')
    if (size > intake.maxBytes) throw fileTooLarge(intake.maxBytes)
    const path = getAssetPath(place)
    if (await this.#context.store.read.entries.storedByValue(assets, 'path', path)) throw pathTakenError(path)
    return place
  }

  /**
   * Stores a file and its asset, both or neither, like an upload.
   *
   * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, PAYLOAD_TOO_LARGE, INSUFFICIENT_STORAGE, SERVICE_UNAVAILABLE; CONFLICT with
   * `details.field` if a file has that name; {Error} in a hook inside a transaction, which would stay open until the file has arrived
   */
  async store(content: AsyncIterable<Uint8Array>, file: NewFile): Promise<Entry<C, 'assets'>> {
    const { originalName, signal = new AbortController().signal, ...fields } = file
    const context = this.#context
    const { assets, files, intake } = this.#requireFiles()
    if (context.isInTransaction)
      throw new Error('A hook inside a transaction cannot store files. Store them in afterCommit.')
    const access = this.#access()
    // A file that the caller may not store is not accepted.
    await access.authorizeWrite(assets, 'create')
    const source = content instanceof Readable ? content : Readable.from(content, { objectMode: false })
    const staged = await intake.stage(source, originalName, signal)
    try {
      const writeContext = await createWriteContext(context, access)
      return tagDocument(await createAsset(writeContext, files, assets, toNewAsset(staged, fields, files)))
    } finally {
      await intake.discard(staged.stagedName)
    }
  }

  #requireFiles(): { readonly assets: CollectionModel; readonly files: Files; readonly intake: Intake } {
    const { model, files, intake } = this.#context
    const assets = model.collections.get(ASSETS)
    if (!assets || !files || !intake) throw new Error('This content has no files.')
    return { assets, files, intake }
  }

  async #findVisible(assets: CollectionModel, path: string): Promise<EntryRow | undefined> {
    const access = this.#access()
    try {
      const filter = await access.authorizeRead(assets)
      const { store } = this.#context.resolveReplica(access)
      return await store.read.entries.byValue(assets, 'path', path, { where: filter?.where })
    } catch (error) {
      if (error instanceof DaybookError && (error.status === 401 || error.status === 403)) return undefined
      throw error
    }
  }
}

function toStoredFile(files: Files, assets: CollectionModel, row: EntryRow): StoredFile {
  const { path, filename, originalName, mimeType, size, sha256 } = readStoredValues(
    assets,
    row,
  ) as unknown as StoredFile
  return Object.freeze({
    id: row.id,
    path,
    filename,
    originalName,
    mimeType,
    size,
    sha256,
    async open(range?: ByteRange): Promise<ReadableStream<Uint8Array> | null> {
      const blobs = await files.blobs()
      const blob = await blobs.read(path, range)
      if (!blob) return null
      const start = range?.start ?? 0
      const end = Math.min(range?.end ?? blob.size - 1, blob.size - 1)
      return new FileBody(blob.content, Math.max(0, end - start + 1))
    },
  })
}
