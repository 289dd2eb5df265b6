import { addAbortSignal, Readable } from 'node:stream'
import type { HeadObjectCommandOutput, MultipartUpload } from '@aws-sdk/client-s3'
import {
  type BlobContent,
  type BlobHeaders,
  type BlobStore,
  type BlobStoreOption,
  type ByteRange,
  isBlobKey,
  isInternalKey,
  requireBlobKey,
  requireBlobPrefix,
  requireStagedName,
  STAGING_SEGMENT,
  type StagedBlob,
  StagedBlobs,
  type StoredBlob,
} from '../blob-store.ts'
import { S3BucketClient } from './s3-bucket-client.ts'
import type { S3Options } from './s3-options.ts'
import { PartBuffers, PartReader, S3Upload, STAGED_ID } from './s3-upload.ts'

/**
 * Keeps files in a bucket of S3, or of another server that speaks its protocol. Needs the package `@aws-sdk/client-s3`.
 *
 * @example
 * ```ts
 * import { s3 } from 'daybook/s3'
 *
 * defineConfig({ assets: { store: s3({ bucket: 'my-files', region: 'eu-central-1' }) } })
 * ```
 */
export function s3(options: S3Options): BlobStoreOption {
  return {
    name: `s3 ${options.bucket}`,
    open: async () => new S3BlobStore(await S3BucketClient.load(options)),
  }
}

/** What is published never changes. */
const IMMUTABLE = 'public, max-age=31536000, immutable'
/** What is written may be replaced. */
const REPLACEABLE = 'public, max-age=0, must-revalidate'

/** An object of S3, with its whole key. */
interface S3Object {
  readonly key: string
  readonly size: number
  readonly at: Date
}

/** An object that gets another key. */
interface MovedObject {
  readonly key: string
  readonly head: HeadObjectCommandOutput
  /** The headers that it has under its new key. */
  readonly headers: Pick<HeadObjectCommandOutput, 'ContentType' | 'ContentDisposition'>
}

/** Blobs as objects of S3, named by their keys; what is staged lies below `.incoming/`. */
export class S3BlobStore implements BlobStore {
  readonly #calls: S3BucketClient
  readonly #parts = new PartBuffers()
  /** The last attempt to publish under a key, as long as it is under way. */
  readonly #publishing = new Map<string, Promise<boolean>>()

  constructor(calls: S3BucketClient) {
    this.#calls = calls
  }

  async stage(name: string, content: Readable, signal: AbortSignal): Promise<void> {
    requireStagedName(name)
    const upload = new S3Upload(this.#calls, this.#stagedKey(name), signal)
    try {
      const parts = new PartReader(addAbortSignal(signal, content))
      while (!(await this.#sendNext(parts, upload))) signal.throwIfAborted()
    } catch (error) {
      content.destroy()
      await upload.abandon()
      throw signal.aborted ? signal.reason : error
    }
  }

  async publish(name: string, key: string, headers: BlobHeaders): Promise<boolean> {
    requireStagedName(name)
    requireBlobKey(key)
    return await this.#inTurn(key, async () => {
      const from = this.#stagedKey(name)
      const staged = await this.#head(from)
      if (!staged) throw new Error(`Nothing is staged as ${from}.`)
      return await this.#move({ key: from, head: staged, headers: toS3Headers(headers) }, this.#fullKey(key))
    })
  }

  async move(from: string, to: string): Promise<boolean> {
    requireBlobKey(from)
    requireBlobKey(to)
    return await this.#inTurn(to, async () => {
      const key = this.#fullKey(from)
      const head = from === to ? undefined : await this.#head(key)
      return head !== undefined && (await this.#move({ key, head, headers: head }, this.#fullKey(to)))
    })
  }

  /** Runs an attempt to give an object a key after the earlier ones of this process. */
  async #inTurn(key: string, attempt: () => Promise<boolean>): Promise<boolean> {
    // Servers that know no conditions of copies would let two attempts of one process through.
    const mine = (this.#publishing.get(key) ?? Promise.resolve()).then(attempt, attempt)
    this.#publishing.set(key, mine)
    try {
      return await mine
    } finally {
      if (this.#publishing.get(key) === mine) this.#publishing.delete(key)
    }
  }

  async discard(name: string): Promise<void> {
    requireStagedName(name)
    const key = this.#stagedKey(name)
    await this.#remove(key)
    for await (const { Key, UploadId } of this.#uploads(key)) {
      if (Key === key) await this.#abortUpload(key, UploadId)
    }
  }

  async *staged(): AsyncIterable<StagedBlob> {
    const folder = this.#stagedKey('')
    const names = new StagedBlobs()
    for await (const { key, at } of this.#objects(folder)) names.add(key.slice(folder.length), at)
    for await (const { Key = '', Initiated } of this.#uploads(folder)) {
      names.add(Key.slice(folder.length), Initiated ?? new Date())
    }
    yield* names
  }

  async read(key: string, range?: ByteRange): Promise<BlobContent | undefined> {
    requireBlobKey(key)
    if (range && range.end < range.start) return await this.#nothingOf(key)
    const { sdk, bucket } = this.#calls
    const command = new sdk.GetObjectCommand({
      Bucket: bucket,
      Key: this.#fullKey(key),
      ...(range && { Range: `bytes=${range.start}-${range.end}` }),
    })
    const found = await this.#calls.sendUnless([404, 416], command)
    // There is none, or nothing of it in the range.
    if (!found) return range && (await this.#nothingOf(key))
    const [, whole] = /\/(\d+)$/.exec(found.ContentRange ?? '') ?? []
    return { size: Number(whole ?? found.ContentLength), content: found.Body as Readable }
  }

  async size(key: string): Promise<number | undefined> {
    requireBlobKey(key)
    return (await this.#head(this.#fullKey(key)))?.ContentLength
  }

  async write(key: string, bytes: Uint8Array, { type, disposition }: BlobHeaders): Promise<void> {
    requireBlobKey(key)
    const { sdk, bucket } = this.#calls
    const command = new sdk.PutObjectCommand({
      Bucket: bucket,
      Key: this.#fullKey(key),
      Body: bytes,
      ContentType: type,
      ContentDisposition: disposition,
      CacheControl: REPLACEABLE,
    })
    await this.#calls.send(command)
  }

  async delete(key: string): Promise<void> {
    requireBlobKey(key)
    await this.#remove(this.#fullKey(key))
  }

  async *list(prefix: string): AsyncIterable<StoredBlob> {
    requireBlobPrefix(prefix)
    for await (const { key, size } of this.#objects(this.#fullKey(prefix))) {
      const own = key.slice(this.#calls.prefix.length)
      if (isBlobKey(own) && !(prefix === '' && isInternalKey(own))) yield { key: own, size }
    }
  }

  async check(): Promise<void> {
    const { sdk, bucket, prefix } = this.#calls
    const command = new sdk.ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1 })
    await this.#calls.send(command)
  }

  async close(): Promise<void> {
    this.#calls.close()
  }

  #fullKey(key: string): string {
    return `${this.#calls.prefix}${key}`
  }

  #stagedKey(name: string): string {
    return this.#fullKey(`${STAGING_SEGMENT}/${name}`)
  }

  /** Sends the next part of a stream. @returns whether it was the last one */
  async #sendNext(parts: PartReader, upload: S3Upload): Promise<boolean> {
    await parts.ready()
    return await this.#parts.use(async (buffer) => {
      const length = await parts.fill(buffer)
      if (length === undefined) return false
      const isLast = length < buffer.length
      await upload.send(buffer.subarray(0, length), isLast)
      return isLast
    })
  }

  async #move(source: MovedObject, to: string): Promise<boolean> {
    const isPlaced = (await this.#head(to)) === undefined && (await this.#copy(source, to))
    // A copy whose answer was lost stands in its own way.
    if (!isPlaced && !isCopy(await this.#head(to), source.head)) return false
    await this.#remove(source.key)
    return true
  }

  /** Copies an object to a key that none has. @returns whether none had it, as far as the server looks */
  async #copy({ key: from, head, headers }: MovedObject, to: string): Promise<boolean> {
    const { sdk, bucket } = this.#calls
    const copy = (condition: { readonly IfNoneMatch?: '*' }): Promise<unknown> => {
      const command = new sdk.CopyObjectCommand({
        Bucket: bucket,
        Key: to,
        CopySource: `${bucket}/${from}`,
        MetadataDirective: 'REPLACE',
        Metadata: head.Metadata,
        ContentType: headers.ContentType,
        ContentDisposition: headers.ContentDisposition,
        CacheControl: IMMUTABLE,
        ...condition,
      })
      return this.#calls.sendUnless([409, 412, 501], command)
    }
    if ((await copy({ IfNoneMatch: '*' })) !== undefined) return true
    if ((await this.#head(to)) !== undefined) return false
    // The server knows no conditions of copies.
    return (await copy({})) !== undefined
  }

  async #head(key: string): Promise<HeadObjectCommandOutput | undefined> {
    const { sdk, bucket } = this.#calls
    const command = new sdk.HeadObjectCommand({ Bucket: bucket, Key: key })
    return await this.#calls.sendUnless([404], command)
  }

  async #nothingOf(key: string): Promise<BlobContent | undefined> {
    const size = await this.size(key)
    return size === undefined ? undefined : { size, content: Readable.from([]) }
  }

  async #remove(key: string): Promise<void> {
    const { sdk, bucket } = this.#calls
    const command = new sdk.DeleteObjectCommand({ Bucket: bucket, Key: key })
    await this.#calls.sendUnless([404], command)
  }

  async #abortUpload(key: string, uploadId: string | undefined): Promise<void> {
    const { sdk, bucket } = this.#calls
    const command = new sdk.AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: uploadId })
    await this.#calls.sendUnless([404], command)
  }

  async *#objects(prefix: string): AsyncIterable<S3Object> {
    const { sdk, bucket } = this.#calls
    let token: string | undefined
    do {
      const command = new sdk.ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken: token })
      const page = await this.#calls.send(command)
      for (const { Key, Size = 0, LastModified = new Date() } of page.Contents ?? []) {
        if (Key !== undefined) yield { key: Key, size: Size, at: LastModified }
      }
      token = page.IsTruncated ? page.NextContinuationToken : undefined
    } while (token !== undefined)
  }

  /** Uploads in parts that were not completed; none where the server does not list them. */
  async *#uploads(prefix: string): AsyncIterable<MultipartUpload> {
    const { sdk, bucket } = this.#calls
    let marker: { readonly KeyMarker?: string | undefined; readonly UploadIdMarker?: string | undefined } | undefined =
      {}
    while (marker) {
      const command: InstanceType<typeof sdk.ListMultipartUploadsCommand> = new sdk.ListMultipartUploadsCommand({
        Bucket: bucket,
        Prefix: prefix,
        ...marker,
      })
      const page = await this.#calls.sendUnless([501], command)
      yield* page?.Uploads ?? []
      marker = page?.IsTruncated
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : undefined
    }
  }
}

const toS3Headers = ({ type, disposition }: BlobHeaders): MovedObject['headers'] => ({
  ContentType: type,
  ContentDisposition: disposition,
})

/** True if an object is the copy of another one: both have the id of the same staged one. */
function isCopy(found: HeadObjectCommandOutput | undefined, source: HeadObjectCommandOutput): boolean {
  const id = source.Metadata?.[STAGED_ID]
  return id !== undefined && found?.Metadata?.[STAGED_ID] === id
}
