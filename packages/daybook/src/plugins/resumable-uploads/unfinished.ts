import { randomBytes } from 'node:crypto'
import { json } from 'node:stream/consumers'
import { type AssetPlace, DaybookError, type PluginStorage, type StoredBytes } from '../../index.ts'

/** What is known of an upload from its first request on. */
export interface UploadFacts {
  /** Who began it, and alone may go on. */
  readonly owner: string
  /** In bytes. */
  readonly size: number
  /** As the client sent it. */
  readonly metadata: Readonly<Record<string, string | null>>
  readonly originalName: string
  readonly place: AssetPlace
  readonly alt?: string
}

/** An upload, and how far it has come. */
export interface Unfinished extends UploadFacts {
  readonly id: string
  readonly createdAt: Date
  /** How many bytes of it are there. */
  readonly offset: number
  /** The id of the asset that it has become. */
  readonly asset: string | undefined
}

/** The most parts of an upload: each interruption, and each request of a client that sends in chunks, makes one. */
const MAX_PARTS = 10_000
/** Digits of an offset in a key, so that keys are in the order of the offsets. */
const OFFSET_DIGITS = 16

/**
 * Uploads that are not complete, in the storage of the plugin: what is known of each, and its bytes in parts. A part is there all at once,
 * and its key is its offset, so that of two clients that send the same part, on whatever node, one succeeds.
 */
export class UnfinishedUploads {
  readonly #storage: PluginStorage
  readonly #expiryMs: number

  constructor(storage: PluginStorage, expiryMs: number) {
    this.#storage = storage
    this.#expiryMs = expiryMs
  }

  /** A new id, which nobody can guess and which tells when the upload began. */
  newId(): string {
    return `${Date.now()}-${randomBytes(16).toString('hex')}`
  }

  async create(id: string, facts: UploadFacts): Promise<void> {
    await this.#storage.add(`${id}/facts`, toBytes(facts))
  }

  /** @throws NOT_FOUND for an upload that is not there any more, or that somebody else began */
  async find(id: string, owner: string): Promise<Unfinished> {
    const createdAt = beginningOf(id)
    if (!createdAt || this.#isOver(createdAt)) throw new DaybookError('NOT_FOUND')
    const facts = await this.#read<UploadFacts>(`${id}/facts`)
    if (facts?.owner !== owner) throw new DaybookError('NOT_FOUND')
    const done = await this.#read<{ readonly asset: string }>(`${id}/done`)
    const parts = done ? [] : await this.#parts(id)
    const offset = done ? facts.size : parts.reduce((sum, { size }) => sum + size, 0)
    return { ...facts, id, createdAt, offset, asset: done?.asset }
  }

  /**
   * Stores the part that begins at an offset, as far as it comes.
   *
   * @returns the offset behind it
   * @throws CONFLICT when another request has stored it
   */
  async append(id: string, offset: number, content: AsyncIterable<Uint8Array>): Promise<number> {
    if ((await this.#parts(id)).length >= MAX_PARTS) {
      throw new DaybookError('PAYLOAD_TOO_LARGE', `An upload has at most ${MAX_PARTS} parts; send larger ones.`)
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
    throw new DaybookError('CONFLICT', 'This part is there already; ask for the offset, and go on from there.')
  }

  /** All bytes of an upload. */
  async *bytes(id: string): AsyncGenerator<Uint8Array> {
    for (const { key } of await this.#parts(id)) {
      const part = await this.#storage.read(key)
      if (!part) throw new DaybookError('SERVICE_UNAVAILABLE')
      yield* part
    }
  }

  /** Notes that an upload has become an asset, and forgets its bytes. */
  async finish(id: string, asset: string): Promise<void> {
    await this.#storage.add(`${id}/done`, toBytes({ asset }))
    for (const { key } of await this.#parts(id)) await this.#storage.delete(key)
  }

  async remove(id: string): Promise<void> {
    // Without its facts, an upload is not there.
    await this.#storage.delete(`${id}/facts`)
    for (const { key } of await this.#list(`${id}/`)) await this.#storage.delete(key)
  }

  /** Removes uploads whose time is over. */
  async sweep(): Promise<void> {
    const over = new Set<string>()
    for await (const { key } of this.#storage.list('')) {
      const [id = ''] = key.split('/')
      const createdAt = beginningOf(id)
      if (createdAt && this.#isOver(createdAt)) over.add(id)
    }
    for (const id of over) await this.remove(id)
  }

  #isOver(createdAt: Date): boolean {
    return createdAt.getTime() + this.#expiryMs <= Date.now()
  }

  /** In the order of their offsets. */
  async #parts(id: string): Promise<readonly StoredBytes[]> {
    return (await this.#list(`${id}/part-`)).toSorted((one, other) => (one.key < other.key ? -1 : 1))
  }

  async #list(prefix: string): Promise<readonly StoredBytes[]> {
    const found: StoredBytes[] = []
    for await (const one of this.#storage.list(prefix)) found.push(one)
    return found
  }

  async #read<T>(key: string): Promise<T | undefined> {
    const found = await this.#storage.read(key)
    return found ? ((await json(found)) as T) : undefined
  }
}

const partKey = (id: string, offset: number): string => `${id}/part-${String(offset).padStart(OFFSET_DIGITS, '0')}`

async function* toBytes(value: unknown): AsyncGenerator<Uint8Array> {
  yield Buffer.from(JSON.stringify(value))
}

/** When the upload of an id began; `undefined`: it is no id. */
function beginningOf(id: string): Date | undefined {
  const [, time] = /^(\d{13})-[0-9a-f]{32}$/.exec(id) ?? []
  return time === undefined ? undefined : new Date(Number(time))
}
