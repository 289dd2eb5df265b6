import { ok, strictEqual } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { BlobHeaders, BlobStore, ByteRange } from '../assets/blob-store.ts'

/** How many bytes streams of checks give at a time. */
export const CHUNK: number = 64 * 1024
/** How many operations of a kind run at once. */
const AT_ONCE = 50

export const HEADERS: BlobHeaders = { type: 'application/octet-stream', disposition: 'attachment' }

/** A store in one check, with names and keys that no other check has. */
export class BlobBench {
  readonly store: BlobStore
  readonly prefix: string
  readonly #id: string = randomUUID()

  constructor(store: BlobStore) {
    this.store = store
    this.prefix = `check-${this.#id}/`
  }

  key(name: string): string {
    return `${this.prefix}${name}`
  }

  name(name: string): string {
    return `check-${this.#id}-${name}`
  }

  stage(name: string, bytes: Uint8Array): Promise<void> {
    return this.store.stage(this.name(name), inChunks(bytes), new AbortController().signal)
  }

  publish(name: string, key: string): Promise<boolean> {
    return this.store.publish(this.name(name), this.key(key), HEADERS)
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    await this.stage('put', bytes)
    strictEqual(await this.publish('put', key), true, 'A key that no blob has is given to the staged one.')
  }

  async get(key: string, range?: ByteRange): Promise<Buffer | undefined> {
    const found = await this.store.read(this.key(key), range)
    return found && (await buffer(found.content))
  }

  /** The names that this check has staged, less its own part of them. */
  async staged(): Promise<readonly string[]> {
    const own = this.name('')
    const names = (await listed(this.store.staged())).map(({ name }) => name)
    return names.filter((name) => name.startsWith(own)).map((name) => name.slice(own.length))
  }

  /** The keys that this check has given, less its own part of them. */
  async keys(prefix = ''): Promise<readonly string[]> {
    const blobs = await listed(this.store.list(this.key(prefix)))
    return blobs.map(({ key }) => key.slice(this.prefix.length)).sort()
  }

  async clear(): Promise<void> {
    for (const name of await this.staged()) await this.store.discard(this.name(name))
    const keys = await this.keys()
    await inTurns(keys, (key) => this.store.delete(this.key(key)))
  }
}

/** Bytes that tell where they come from. */
export function patterned(length: number, seed = 0): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; at += 1) bytes[at] = (at * 31 + (at >> 8) + seed) & 0xff
  return bytes
}

export function inChunks(bytes: Uint8Array): Readable {
  return Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK)
    })(),
    { objectMode: false },
  )
}

/** A stream that gives bytes and then waits; `given` settles when all of them are taken. */
export function stalled(bytes: Uint8Array): { readonly content: Readable; readonly given: Promise<void> } {
  const { promise: given, resolve } = Promise.withResolvers<void>()
  let at = 0
  const content = new Readable({
    read() {
      if (at >= bytes.length) return resolve()
      this.push(bytes.subarray(at, at + CHUNK))
      at += CHUNK
    },
  })
  return { content, given }
}

export async function inTurns<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < all.length; at += AT_ONCE) await Promise.all(all.slice(at, at + AT_ONCE).map(work))
}

export function requireSame(found: Uint8Array | undefined, expected: Uint8Array, message: string): void {
  ok(found !== undefined && Buffer.compare(found, expected) === 0, message)
}

export async function listed<T>(all: AsyncIterable<T>): Promise<readonly T[]> {
  const items: T[] = []
  for await (const item of all) items.push(item)
  return items
}
