import { DataStore, Upload } from '@tus/server'
import { type CallerFiles, DaybookError, getIdentity, type NewFile, type PluginRequest } from '../../index.ts'
import type { Unfinished, UnfinishedUploads } from './unfinished.ts'

/** What the requests of all clients share. */
export interface SharedUploads {
  readonly unfinished: UnfinishedUploads
  /** Uploads that become assets at this moment, by id. */
  readonly finishing: Map<string, Promise<string>>
  /** In milliseconds. */
  readonly expiryMs: number
}

/** The uploads of one client, as the protocol's library sees them in one request. */
export class TusStore extends DataStore {
  override extensions: string[] = ['creation', 'termination', 'expiration']
  /** The asset that the upload of the request has become. */
  asset: string | undefined
  readonly #shared: SharedUploads
  readonly #files: CallerFiles
  readonly #owner: string

  constructor(shared: SharedUploads, { caller, content }: Pick<PluginRequest, 'caller' | 'content'>) {
    super()
    this.#shared = shared
    this.#files = content.files
    const identity = getIdentity(caller)
    this.#owner = JSON.stringify([identity?.provider, identity?.subject])
  }

  override async create(upload: Upload): Promise<Upload> {
    const { id, size = 0, metadata = {} } = upload
    const file = toNewFile(metadata)
    const { originalName, alt } = file
    const place = await this.#files.plan(size, file)
    const own = alt === undefined ? {} : { alt }
    await this.#shared.unfinished.create(id, { owner: this.#owner, size, metadata, originalName, place, ...own })
    return upload
  }

  override async write(content: AsyncIterable<Uint8Array>, id: string, offset: number): Promise<number> {
    const upload = await this.#find(id)
    const end = await this.#shared.unfinished.append(id, offset, content)
    if (end === upload.size) this.asset = upload.asset ?? (await this.#finish(upload))
    return end
  }

  /** What has all its bytes and is no asset, after a fault in between, becomes one now. */
  override async getUpload(id: string): Promise<Upload> {
    const upload = await this.#find(id)
    const { size, offset, metadata, createdAt, asset } = upload
    if (offset === size) this.asset = asset ?? (await this.#finish(upload))
    return new Upload({ id, size, offset, metadata: { ...metadata }, creation_date: createdAt.toISOString() })
  }

  override async remove(id: string): Promise<void> {
    await this.#find(id)
    await this.#shared.unfinished.remove(id)
  }

  override getExpiration(): number {
    return this.#shared.expiryMs
  }

  #find(id: string): Promise<Unfinished> {
    return this.#shared.unfinished.find(id, this.#owner)
  }

  /** Makes an asset of an upload, once, however many requests ask for it. */
  async #finish(upload: Unfinished): Promise<string> {
    const { finishing } = this.#shared
    const known = finishing.get(upload.id)
    if (known) return known
    const work = this.#store(upload).finally(() => finishing.delete(upload.id))
    finishing.set(upload.id, work)
    return work
  }

  async #store(upload: Unfinished): Promise<string> {
    const { unfinished } = this.#shared
    try {
      const asset = await this.#storeOrFind(upload)
      await unfinished.finish(upload.id, asset)
      return asset
    } catch (error) {
      // What will never be stored need not be sent again.
      if (error instanceof DaybookError && error.status < 500) await unfinished.remove(upload.id)
      throw error
    }
  }

  /** A file of this name and length may be the upload itself, whose node ended before it noted that. */
  async #storeOrFind({ id, originalName, place, alt, size }: Unfinished): Promise<string> {
    try {
      const own = alt === undefined ? {} : { alt }
      const asset = await this.#files.store(this.#shared.unfinished.bytes(id), { originalName, ...place, ...own })
      return asset.id
    } catch (error) {
      const isTaken = error instanceof DaybookError && error.code === 'CONFLICT'
      const path = place.directory === '' ? place.filename : `${place.directory}/${place.filename}`
      const found = isTaken ? await this.#files.find(path) : null
      if (found?.size === size) return found.id
      throw error
    }
  }
}

/**
 * What the metadata of an upload says. By the habit of clients, `filename` is the name that the file has with them; what type it is, its
 * bytes tell. What else clients send of their own accord means nothing.
 */
function toNewFile({ filename, name, storeAs, directory, alt }: Readonly<Record<string, string | null>>): NewFile {
  return {
    originalName: filename || name || '',
    ...(storeAs ? { filename: storeAs } : {}),
    ...(directory ? { directory } : {}),
    ...(alt ? { alt } : {}),
  }
}
