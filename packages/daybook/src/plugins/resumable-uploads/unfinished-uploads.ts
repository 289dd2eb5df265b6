import { hash, randomBytes } from 'node:crypto'
import { json } from 'node:stream/consumers'
import { type AssetPlace, DaybookError, type PluginStorage, type StoredBytes } from '../../index.ts'

/** The description of an upload, which its first request stores. */
interface UploadDescription {
  /** The caller who began the upload, and alone may continue it. */
  readonly owner: string
  /** In bytes. */
  readonly size: number
  /** As the client sent it. */
  readonly metadata: Readonly<Record<string, string | null>>
  readonly originalName: string
  readonly place: AssetPlace
  readonly alt?: string
}

/** An upload with its progress. */
export interface UnfinishedUpload extends UploadDescription {
  readonly id: string
  readonly createdAt: Date
  readonly offset: number
  /** The id of the asset that the upload has become. */
  readonly asset: string | undefined
}

/** The maximum number of parts of an upload. Each request adds a part. */
const MAX_PARTS = 10_000
/** The number of digits of an offset in a key, so that keys sort by offset. */
const OFFSET_DIGITS = 16

/**
 * Uploads that are not complete, in the storage of the plugin: the description of each, and its bytes in parts. A part is stored
 * atomically under its offset, so that only one of two clients that send the same part succeeds, even on different nodes.
 */
export class UnfinishedUploads {
  readonly #storage: PluginStorage
  readonly #expiryMs: number
  readonly #limit: number

  /** @param limit the maximum number of incomplete uploads of one owner */
  constructor(storage: PluginStorage, expiryMs: number, limit: number) {
    this.#storage = storage
    this.#expiryMs = expiryMs
    this.#limit = limit
  }

  /** Generates an id that cannot be guessed, with a hash of the owner and the current time. */
  newId(owner: string): string {
    return `${hashOwner(owner)}-${Date.now()}-${randomBytes(16).toString('hex')}`
  }

  /** @throws FORBIDDEN with `details.limit` if the owner has too many incomplete uploads */
  async create(id: string, description: UploadDescription): Promise<void> {
    const keys = new Set((await this.#list(`${hashOwner(description.owner)}-`)).map(({ key }) => key))
    const isIncomplete = (key: string): boolean => key.endsWith('/facts') && !keys.has(key.replace(/facts$/, 'done'))
    if ([...keys].filter(isIncomplete).length >= this.#limit) {
      const message = `You have ${this.#limit} unfinished uploads. Complete one, or delete it.`
      throw new DaybookError('FORBIDDEN', message, { limit: this.#limit })
    }
    await this.#storage.add(`${id}/facts`, toBytes(description))
  }

  /** @throws NOT_FOUND for an upload that has expired, was removed, or belongs to another caller */
  async find(id: string, owner: string): Promise<UnfinishedUpload> {
    const createdAt = creationTime(id)
    if (!createdAt || this.#hasExpired(createdAt)) throw new DaybookError('NOT_FOUND')
    const description = await this.#read<UploadDescription>(`${id}/facts`)
    if (description?.owner !== owner) throw new DaybookError('NOT_FOUND')
    const done = await this.#read<{ readonly asset: string }>(`${id}/done`)
    const parts = done ? [] : await this.#parts(id)
    const offset = done ? description.size : parts.reduce((sum, { size }) => sum + size, 0)
    return { ...description, id, createdAt, offset, asset: done?.asset }
  }

  /**
   * Stores the part that begins at an offset, with all bytes that are received.
   *
   * @returns the offset of the next part
   * @throws CONFLICT if another request has stored the part
   */
  async append(id: string, offset: number, content: AsyncIterable<Uint8Array>): Promise<number> {
    if ((await this.#parts(id)).length >= MAX_PARTS) {
      throw new DaybookError('PAYLOAD_TOO_LARGE', `An upload may have at most ${MAX_PARTS} parts. Send larger parts.`)
    }
    const source = content[Symbol.asyncIterator]()
    const first = await source.next()
    if (first.done) return offset
    let end = offset
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for (let next: IteratorResult<Uint8Array> = first; !next.done; next = await source.next()) {
        end += next.value.length
        yield next.value
      }
    }
    if (await this.#storage.add(partKey(id, offset), counted())) return end
    throw new DaybookError('CONFLICT', 'This part was already received. Request the offset, and continue from there.')
  }

  async *bytes(id: string): AsyncGenerator<Uint8Array> {
    for (const { key } of await this.#parts(id)) {
      const part = await this.#storage.read(key)
      if (!part) throw new DaybookError('SERVICE_UNAVAILABLE')
      yield* part
    }
  }

  /** Records that an upload has become an asset, and deletes its bytes. */
  async finish(id: string, asset: string): Promise<void> {
    await this.#storage.add(`${id}/done`, toBytes({ asset }))
    for (const { key } of await this.#parts(id)) await this.#storage.delete(key)
  }

  async remove(id: string): Promise<void> {
    // An upload without a description does not exist, so this deletion comes first.
    await this.#storage.delete(`${id}/facts`)
    for (const { key } of await this.#list(`${id}/`)) await this.#storage.delete(key)
  }

  async sweep(): Promise<void> {
    const expired = new Set<string>()
    for await (const { key } of this.#storage.list('')) {
      const [id = ''] = key.split('/')
      const createdAt = creationTime(id)
      if (createdAt && this.#hasExpired(createdAt)) expired.add(id)
    }
    for (const id of expired) await this.remove(id)
  }

  #hasExpired(createdAt: Date): boolean {
    return createdAt.getTime() + this.#expiryMs <= Date.now()
  }

  async #parts(id: string): Promise<readonly StoredBytes[]> {
    return (await this.#list(`${id}/part-`)).toSorted((a, b) => (a.key < b.key ? -1 : 1))
  }

  async #list(prefix: string): Promise<readonly StoredBytes[]> {
    const blobs: StoredBytes[] = []
    for await (const blob of this.#storage.list(prefix)) blobs.push(blob)
    return blobs
  }

  async #read<T>(key: string): Promise<T | undefined> {
    const bytes = await this.#storage.read(key)
    return bytes ? ((await json(bytes)) as T) : undefined
  }
}

/** Returns the beginning of the ids of an owner's uploads. */
const hashOwner = (owner: string): string => hash('sha256', owner).slice(0, 16)

const partKey = (id: string, offset: number): string => `${id}/part-${String(offset).padStart(OFFSET_DIGITS, '0')}`

async function* toBytes(value: unknown): AsyncGenerator<Uint8Array> {
  yield Buffer.from(JSON.stringify(value))
}

/** Returns the time at which an upload began, or `undefined` for an invalid id. */
function creationTime(id: string): Date | undefined {
  const [, time] = /^[0-9a-f]{16}-(\d{13})-[0-9a-f]{32}$/.exec(id) ?? []
  return time === undefined ? undefined : new Date(Number(time))
}
