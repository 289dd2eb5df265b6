import { ok, strictEqual } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { BlobHeaders, BlobStore, ByteRange } from '../assets/blob-store.ts'

/** The size of the chunks of streams in checks, in bytes. */
export const CHUNK_BYTES: number = 64 * 1024
/** The maximum number of concurrent operations. */
const CONCURRENCY = 50

export const HEADERS: BlobHeaders = { type: 'application/octet-stream', disposition: 'attachment' }

/** A store with names and keys that no other check uses. */
export class BlobStoreFixture {
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
    const blob = await this.store.read(this.key(key), range)
    return blob && (await buffer(blob.content))
  }

  /** Returns the names that this check has staged, without its prefix. */
  async staged(): Promise<readonly string[]> {
    const prefix = this.name('')
    const names = (await collect(this.store.staged())).map(({ name }) => name)
    return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length))
  }

  /** Returns the keys that this check has published, without its prefix. */
  async keys(prefix = ''): Promise<readonly string[]> {
    const blobs = await collect(this.store.list(this.key(prefix)))
    return blobs.map(({ key }) => key.slice(this.prefix.length)).sort()
  }

  async clear(): Promise<void> {
    for (const name of await this.staged()) await this.store.discard(this.name(name))
    const keys = await this.keys()
    await forEachConcurrently(keys, (key) => this.store.delete(this.key(key)))
  }
}

/** Creates bytes that depend on their offset and the seed. */
export function createPattern(length: number, seed = 0): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; at += 1) bytes[at] = (at * 31 + (at >> 8) + seed) & 0xff
  return bytes
}

export function inChunks(bytes: Uint8Array): Readable {
  return Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES)
    })(),
    { objectMode: false },
  )
}

/** Creates a stream that delivers bytes and then stalls; `delivered` resolves when all of them are read. */
export function createStalledStream(bytes: Uint8Array): {
  readonly content: Readable
  readonly delivered: Promise<void>
} {
  const { promise: delivered, resolve } = Promise.withResolvers<void>()
  let at = 0
  const content = new Readable({
    read() {
      if (at >= bytes.length) return resolve()
      this.push(bytes.subarray(at, at + CHUNK_BYTES))
      at += CHUNK_BYTES
    },
  })
  return { content, delivered }
}

export async function forEachConcurrently<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < items.length; at += CONCURRENCY) await Promise.all(items.slice(at, at + CONCURRENCY).map(work))
}

export function assertSameBytes(actual: Uint8Array | undefined, expected: Uint8Array, message: string): void {
  ok(actual !== undefined && Buffer.compare(actual, expected) === 0, message)
}

export async function collect<T>(source: AsyncIterable<T>): Promise<readonly T[]> {
  const items: T[] = []
  for await (const item of source) items.push(item)
  return items
}

interface RangeSample {
  /** The length of the blob, in bytes. */
  readonly of: number
  readonly start: number
  readonly end: number
  /** The offset of the first selected byte. */
  readonly from: number
  /** The offset after the last selected byte. */
  readonly to: number
}

/** Ranges inside a blob, at its edges, past its end, and of an empty blob. */
export const RANGES: readonly RangeSample[] = [
  { of: 100, start: 0, end: 99, from: 0, to: 100 },
  { of: 100, start: 0, end: 0, from: 0, to: 1 },
  { of: 100, start: 10, end: 19, from: 10, to: 20 },
  { of: 100, start: 99, end: 99, from: 99, to: 100 },
  { of: 100, start: 50, end: 1000, from: 50, to: 100 },
  { of: 100, start: 100, end: 200, from: 0, to: 0 },
  { of: 100, start: 5000, end: 6000, from: 0, to: 0 },
  { of: 100, start: 20, end: 10, from: 0, to: 0 },
  { of: 0, start: 0, end: 10, from: 0, to: 0 },
]

export const INVALID_NAMES: readonly string[] = [
  '',
  '.',
  '..',
  'a/b',
  'a\\b',
  'a b',
  'a\0',
  'a\n',
  'a~b',
  'ä',
  '%2e%2e',
  'a'.repeat(201),
]

export const INVALID_KEYS: readonly string[] = [
  ...INVALID_NAMES.filter((name) => name !== 'a/b'),
  '/',
  '/a',
  'a/',
  'a//b',
  '../a',
  'a/../b',
  'a/./b',
  'a/..',
  'a\\..\\b',
  '.incoming/a',
  'C:/a',
  `${'a'.repeat(99)}/`.repeat(9).concat('a'),
]
