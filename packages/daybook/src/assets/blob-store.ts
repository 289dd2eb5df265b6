import type { Readable } from 'node:stream'

/** The prefix of the keys of pictures made from others, followed by the digest of the source. */
export const IMAGE_VARIANTS_PREFIX = '.images/'

/** The headers of a blob for clients that fetch it from the store directly. */
export interface BlobHeaders {
  /** The value of `Content-Type`. */
  readonly type: string
  /** The value of `Content-Disposition` (RFC 6266). */
  readonly disposition: string
}

/** A part of a blob, in bytes from its start, both ends included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** The bytes of a blob or of a part of it. Read `content` to its end or destroy it, because it may hold a file or a connection open. */
export interface BlobContent {
  /** The size of the whole blob, in bytes. */
  readonly size: number
  readonly content: Readable
}

/** A blob with its key. */
export interface StoredBlob {
  readonly key: string
  /** In bytes. */
  readonly size: number
}

/** A blob without a key. */
export interface StagedBlob {
  readonly name: string
  /** The time of the last write. */
  readonly at: Date
}

/**
 * Stores bytes under keys. A blob is staged first, and becomes visible as a whole when it is published. After that it never changes, unless
 * `write` replaces it.
 *
 * A key is a relative path such as `images/2026/cat.png`: at most 900 bytes, in segments of 1 to 200 of `A-Z a-z 0-9 . _ -`, none of which
 * is `.` or `..`. Keys whose first segment begins with a dot are internal to Daybook, `.incoming` to the store. The name of a staged blob is
 * one such segment. Methods throw a TypeError for other values, without any effect.
 *
 * Check a store with `blobStoreConformance()` of `daybook/testing`.
 *
 * @throws all methods: INSUFFICIENT_STORAGE if the store is full; SERVICE_UNAVAILABLE if the store cannot be reached in time
 */
export interface BlobStore {
  /**
   * Stores a stream that is not visible yet. If the stream fails or the signal aborts, it rejects, and nothing of the stream is left. A blob
   * that was staged under the same name is replaced at the end.
   */
  stage(name: string, content: Readable, signal: AbortSignal): Promise<void>
  /**
   * Gives a staged blob its key, durably. Returns `false`, and keeps the blob staged, if there is a blob with that key, or one that conflicts
   * with it in a store of folders (`a` and `a/b`). Rejects if nothing is staged under that name.
   */
  publish(name: string, key: string, headers: BlobHeaders): Promise<boolean>
  /**
   * Gives a blob another key, durably. Returns `false`, without a change, if no blob has the first key, or one has the second or conflicts
   * with it in a store of folders. A crash may leave the whole blob under the first key, and a part or all of it under the second.
   */
  move(from: string, to: string): Promise<boolean>
  /** Removes a staged blob, if there is one. */
  discard(name: string): Promise<void>
  /** Lists all staged blobs, interrupted uploads to the store included. */
  staged(): AsyncIterable<StagedBlob>
  /** Reads a blob, or the part of a range that it has. Returns `undefined` if there is no blob. */
  read(key: string, range?: ByteRange): Promise<BlobContent | undefined>
  /** Returns the size of a blob in bytes, or `undefined` if there is none. */
  size(key: string): Promise<number | undefined>
  /** Stores a short blob, and replaces the one with that key. */
  write(key: string, bytes: Uint8Array, headers: BlobHeaders): Promise<void>
  /** Removes a blob, if there is one. */
  delete(key: string): Promise<void>
  /** Lists the blobs whose keys begin with a prefix, in no order; with an empty one, all except internal blobs. */
  list(prefix: string): AsyncIterable<StoredBlob>
  /** Rejects if the store cannot be used now. */
  check(): Promise<void>
  close(): Promise<void>
}

/** The service that opens a store. */
export interface BlobStoreHost {
  /** The data folder of the service. */
  readonly data: string
}

/** A store of files as `config.assets.store`. */
export interface BlobStoreOption {
  /** The name in messages, without secrets, such as `disk uploads`. */
  readonly name: string
  open(host: BlobStoreHost): Promise<BlobStore>
}

/** The maximum length of a key, in bytes. */
const MAX_KEY = 900
/** The maximum length of a segment of a key, in bytes. */
const MAX_SEGMENT = 200
const SEGMENT = /^[A-Za-z0-9._-]+$/

const isSegment = (text: string): boolean =>
  text.length <= MAX_SEGMENT && SEGMENT.test(text) && text !== '.' && text !== '..'

/** The first segment of keys of staged blobs. */
export const STAGING_SEGMENT = '.incoming'

/** Returns true if a text is a key, as {@link BlobStore} describes them. */
export function isBlobKey(text: string): boolean {
  const segments = text.split('/')
  return text.length <= MAX_KEY && segments.every(isSegment) && segments[0]?.toLowerCase() !== STAGING_SEGMENT
}

/** @throws {TypeError} if a text is no key */
export function requireBlobKey(key: string): void {
  if (!isBlobKey(key)) throw new TypeError(`${JSON.stringify(key)} is not a valid key of a blob.`)
}

/** @throws {TypeError} if a text is no name of a staged blob */
export function requireStagedName(name: string): void {
  if (!isSegment(name)) throw new TypeError(`${JSON.stringify(name)} is not a valid name of a staged blob.`)
}

/** @throws {TypeError} if no key begins with a text */
export function requireBlobPrefix(prefix: string): void {
  if (prefix === '' || isBlobKey(prefix) || isBlobKey(`${prefix}x`)) return
  throw new TypeError(`${JSON.stringify(prefix)} is not a valid prefix of keys of blobs.`)
}

/** Returns true if a key is internal to Daybook. */
export const isInternalKey = (key: string): boolean => key.startsWith('.')

/** A list of staged blobs with unique names, each with the time of its last write. */
export class StagedBlobs {
  readonly #latest = new Map<string, Date>()

  add(name: string, at: Date): void {
    const latest = this.#latest.get(name)
    if (!latest || latest < at) this.#latest.set(name, at)
  }

  *[Symbol.iterator](): Iterator<StagedBlob> {
    for (const [name, at] of this.#latest) yield { name, at }
  }
}
