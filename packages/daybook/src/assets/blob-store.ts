import type { Readable } from 'node:stream'

/** Where pictures lie that are made of others, each below the digest of its source. */
export const IMAGES = '.images/'

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
