import type { Readable } from 'node:stream'

/** Where pictures lie that are made of others, each below the digest of its source. */
export const IMAGE_VARIANTS_PREFIX = '.images/'

/** What a store tells those who fetch a blob from it directly. */
export interface BlobHeaders {
  /** The value of `Content-Type`. */
  readonly type: string
  /** The value of `Content-Disposition` (RFC 6266). */
  readonly disposition: string
}

/** A part of a blob, in bytes from its start; both ends are in it. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** The bytes of a blob, or of a part of it. Read `content` to its end, or destroy it: it may hold a file or a connection. */
export interface BlobContent {
  /** How long the whole blob is, in bytes. */
  readonly size: number
  readonly content: Readable
}

/** A blob that has a key. */
export interface StoredBlob {
  readonly key: string
  /** In bytes. */
  readonly size: number
}

/** A blob that has no key yet. */
export interface StagedBlob {
  readonly name: string
  /** When it was last written to. */
  readonly at: Date
}

/**
 * Keeps bytes under keys. A blob is staged first, and becomes visible all at once when it is published; it is never changed
 * after that, unless `write` replaces it.
 *
 * A key is a relative path, `images/2026/cat.png`: at most 900 bytes, in segments of 1 to 200 of `A-Z a-z 0-9 . _ -`, none of
 * which is `.` or `..`. Keys whose first segment begins with a dot belong to Daybook, `.incoming` to the store. The name of a
 * staged blob is one such segment. A method that is given anything else throws a TypeError, and touches nothing.
 *
 * Prove a store of your own with `blobStoreConformance()` of `daybook/testing`.
 *
 * @throws all methods: INSUFFICIENT_STORAGE when there is no room left; SERVICE_UNAVAILABLE when the store cannot be reached, or
 * answers too late
 */
export interface BlobStore {
  /**
   * Takes in a stream that nobody sees yet. When the stream fails, or the signal aborts, it rejects, and nothing of the stream is left. A
   * blob staged under the same name before is replaced once all is taken in.
   */
  stage(name: string, content: Readable, signal: AbortSignal): Promise<void>
  /**
   * Gives a staged blob its key, durably; `false`: there is a blob with that key, or one that stands in its way in a store of folders
   * (`a` and `a/b`), and the staged one stays as it is. Rejects when nothing is staged under that name.
   */
  publish(name: string, key: string, headers: BlobHeaders): Promise<boolean>
  /**
   * Gives a blob another key, durably; `false`: no blob has the first key, or one has the second or stands in its way in a store of
   * folders, and nothing changes. A crash may leave the whole blob under its first key and a part of it, or all, under the second.
   */
  move(from: string, to: string): Promise<boolean>
  /** Removes a staged blob, if it is there. */
  discard(name: string): Promise<void>
  /** Everything that is staged, also uploads to the store that were broken off. */
  staged(): AsyncIterable<StagedBlob>
  /** Reads a blob, or the part of it that is there of a range; `undefined`: there is none. */
  read(key: string, range?: ByteRange): Promise<BlobContent | undefined>
  /** The length of a blob in bytes; `undefined`: there is none. */
  size(key: string): Promise<number | undefined>
  /** Stores a short blob at once, in the place of the one with that key. */
  write(key: string, bytes: Uint8Array, headers: BlobHeaders): Promise<void>
  /** Removes a blob, if it is there. */
  delete(key: string): Promise<void>
  /** All blobs whose keys begin with a prefix, in no order; with an empty one, all but those that belong to Daybook. */
  list(prefix: string): AsyncIterable<StoredBlob>
  /** Rejects when the store cannot be used now. */
  check(): Promise<void>
  close(): Promise<void>
}

/** What a store can know of the service that opens it. */
export interface BlobStoreHost {
  /** The data folder of the service. */
  readonly data: string
}

/** Names where files are kept, as `config.assets.store`. */
export interface BlobStoreOption {
  /** The words that messages name it by, without anything secret: `disk uploads`. */
  readonly name: string
  open(host: BlobStoreHost): Promise<BlobStore>
}

/** The longest key, in bytes. */
const MAX_KEY = 900
/** The longest segment of a key, in bytes. */
const MAX_SEGMENT = 200
const SEGMENT = /^[A-Za-z0-9._-]+$/

const isSegment = (text: string): boolean =>
  text.length <= MAX_SEGMENT && SEGMENT.test(text) && text !== '.' && text !== '..'

/** The first segment of what a store keeps for itself: staged blobs. */
export const STAGING_SEGMENT = '.incoming'

/** Whether a text is a key, as {@link BlobStore} describes them. */
export function isBlobKey(text: string): boolean {
  const segments = text.split('/')
  return text.length <= MAX_KEY && segments.every(isSegment) && segments[0]?.toLowerCase() !== STAGING_SEGMENT
}

/** @throws {TypeError} when a text is no key */
export function requireBlobKey(key: string): void {
  if (!isBlobKey(key)) throw new TypeError(`${JSON.stringify(key)} is no key of a blob.`)
}

/** @throws {TypeError} when a text is no name of a staged blob */
export function requireStagedName(name: string): void {
  if (!isSegment(name)) throw new TypeError(`${JSON.stringify(name)} is no name of a staged blob.`)
}

/** @throws {TypeError} when no key begins with a text */
export function requireBlobPrefix(prefix: string): void {
  if (prefix === '' || isBlobKey(prefix) || isBlobKey(`${prefix}x`)) return
  throw new TypeError(`No key of a blob begins with ${JSON.stringify(prefix)}.`)
}

/** Whether a key belongs to Daybook itself, not to the content. */
export const isInternalKey = (key: string): boolean => key.startsWith('.')

/** What is staged, each name once, with the latest time that anything of it was written. */
export class StagedBlobs {
  readonly #latest = new Map<string, Date>()

  add(name: string, at: Date): void {
    const before = this.#latest.get(name)
    if (!before || before < at) this.#latest.set(name, at)
  }

  *[Symbol.iterator](): Iterator<StagedBlob> {
    for (const [name, at] of this.#latest) yield { name, at }
  }
}
