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
 * Stores files in a bucket of S3, or of another server with its protocol. Needs the package `@aws-sdk/client-s3`.
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

/** The caching of published blobs, which never change. */
const IMMUTABLE = 'public, max-age=31536000, immutable'
/** The caching of written blobs, which may be replaced. */
const REPLACEABLE = 'public, max-age=0, must-revalidate'

/** An object of S3 with its full key. */
interface S3Object {
  readonly key: string
  readonly size: number
  readonly at: Date
}

/** An object that gets another key. */
interface MovedObject {
  readonly key: string
  readonly head: HeadObjectCommandOutput
  /** The headers under the new key. */
  readonly headers: Pick<HeadObjectCommandOutput, 'ContentType' | 'ContentDisposition'>
}

/** Blobs as objects of S3, named by their keys. Staged blobs are below `.incoming/`. */
export class S3BlobStore implements BlobStore {
  readonly #client: S3BucketClient
  readonly #parts = new PartBuffers()
  /** The last running attempt to publish under each key. */
  readonly #publishing = new Map<string, Promise<boolean>>()

  constructor(client: S3BucketClient) {
    this.#client = client
  }

  async stage(name: string, content: Readable, signal: AbortSignal): Promise<void> {
    requireStagedName(name)
    const upload = new S3Upload(this.#client, this.#stagedKey(name), signal)
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
    return await this.#enqueue(key, async () => {
      const from = this.#stagedKey(name)
      const staged = await this.#head(from)
      if (!staged) throw new Error(`The staged blob ${from} does not exist.`)
      return await this.#move({ key: from, head: staged, headers: toS3Headers(headers) }, this.#fullKey(key))
    })
  }

  async move(from: string, to: string): Promise<boolean> {
    requireBlobKey(from)
    requireBlobKey(to)
    return await this.#enqueue(to, async () => {
      const key = this.#fullKey(from)
      const head = from === to ? undefined : await this.#head(key)
      return head !== undefined && (await this.#move({ key, head, headers: head }, this.#fullKey(to)))
    })
  }

  /** Runs an attempt to use a key after earlier attempts of this process. */
  async #enqueue(key: string, attempt: () => Promise<boolean>): Promise<boolean> {
    // Servers without conditional copies would accept two concurrent attempts.
    const result = (this.#publishing.get(key) ?? Promise.resolve()).then(attempt, attempt)
    this.#publishing.set(key, result)
    try {
      return await result
    } finally {
      if (this.#publishing.get(key) === result) this.#publishing.delete(key)
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
    if (range && range.end < range.start) return await this.#readNothing(key)
    const { sdk, bucket } = this.#client
    const command = new sdk.GetObjectCommand({
      Bucket: bucket,
      Key: this.#fullKey(key),
      ...(range && { Range: `bytes=${range.start}-${range.end}` }),
    })
    const object = await this.#client.sendUnless([404, 416], command)
    // There is no object, or no byte of it in the range.
    if (!object) return range && (await this.#readNothing(key))
    const [, size] = /\/(\d+)$/.exec(object.ContentRange ?? '') ?? []
    return { size: Number(size ?? object.ContentLength), content: object.Body as Readable }
  }

  async size(key: string): Promise<number | undefined> {
    requireBlobKey(key)
    return (await this.#head(this.#fullKey(key)))?.ContentLength
  }

  async write(key: string, bytes: Uint8Array, { type, disposition }: BlobHeaders): Promise<void> {
    requireBlobKey(key)
    const { sdk, bucket } = this.#client
    const command = new sdk.PutObjectCommand({
      Bucket: bucket,
      Key: this.#fullKey(key),
      Body: bytes,
      ContentType: type,
      ContentDisposition: disposition,
      CacheControl: REPLACEABLE,
    })
    await this.#client.send(command)
  }

  async delete(key: string): Promise<void> {
    requireBlobKey(key)
    await this.#remove(this.#fullKey(key))
  }

  async *list(prefix: string): AsyncIterable<StoredBlob> {
    requireBlobPrefix(prefix)
    for await (const { key: fullKey, size } of this.#objects(this.#fullKey(prefix))) {
      const key = fullKey.slice(this.#client.prefix.length)
      if (isBlobKey(key) && !(prefix === '' && isInternalKey(key))) yield { key, size }
    }
  }

  async check(): Promise<void> {
    const { sdk, bucket, prefix } = this.#client
    const command = new sdk.ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1 })
    await this.#client.send(command)
  }

  async close(): Promise<void> {
    this.#client.close()
  }

  #fullKey(key: string): string {
    return `${this.#client.prefix}${key}`
  }

  #stagedKey(name: string): string {
    return this.#fullKey(`${STAGING_SEGMENT}/${name}`)
  }

  /** Sends the next part of a stream. @returns true if it was the last one */
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
    // The key may exist because the response to an earlier copy was lost.
    if (!isPlaced && !isCopy(await this.#head(to), source.head)) return false
    await this.#remove(source.key)
    return true
  }

  /** Copies an object to an unused key. @returns true if it was unused, as far as the server checks */
  async #copy({ key: from, head, headers }: MovedObject, to: string): Promise<boolean> {
    const { sdk, bucket } = this.#client
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
      return this.#client.sendUnless([409, 412, 501], command)
    }
    if ((await copy({ IfNoneMatch: '*' })) !== undefined) return true
    if ((await this.#head(to)) !== undefined) return false
    // The server does not support conditional copies.
    return (await copy({})) !== undefined
  }

  async #head(key: string): Promise<HeadObjectCommandOutput | undefined> {
    const { sdk, bucket } = this.#client
    const command = new sdk.HeadObjectCommand({ Bucket: bucket, Key: key })
    return await this.#client.sendUnless([404], command)
  }

  async #readNothing(key: string): Promise<BlobContent | undefined> {
    const size = await this.size(key)
    return size === undefined ? undefined : { size, content: Readable.from([]) }
  }

  async #remove(key: string): Promise<void> {
    const { sdk, bucket } = this.#client
    const command = new sdk.DeleteObjectCommand({ Bucket: bucket, Key: key })
    await this.#client.sendUnless([404], command)
  }

  async #abortUpload(key: string, uploadId: string | undefined): Promise<void> {
    const { sdk, bucket } = this.#client
    const command = new sdk.AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: uploadId })
    await this.#client.sendUnless([404], command)
  }

  async *#objects(prefix: string): AsyncIterable<S3Object> {
    const { sdk, bucket } = this.#client
    let token: string | undefined
    do {
      const command = new sdk.ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken: token })
      const page = await this.#client.send(command)
      for (const { Key, Size = 0, LastModified = new Date() } of page.Contents ?? []) {
        if (Key !== undefined) yield { key: Key, size: Size, at: LastModified }
      }
      token = page.IsTruncated ? page.NextContinuationToken : undefined
    } while (token !== undefined)
  }

  /** Lists incomplete multipart uploads; none if the server cannot list them. */
  async *#uploads(prefix: string): AsyncIterable<MultipartUpload> {
    const { sdk, bucket } = this.#client
    let marker: { readonly KeyMarker?: string | undefined; readonly UploadIdMarker?: string | undefined } | undefined =
      {}
    while (marker) {
      const command: InstanceType<typeof sdk.ListMultipartUploadsCommand> = new sdk.ListMultipartUploadsCommand({
        Bucket: bucket,
        Prefix: prefix,
        ...marker,
      })
      const page = await this.#client.sendUnless([501], command)
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

/** Returns true if an object is a copy of another: both have the same id of a staged object. */
function isCopy(target: HeadObjectCommandOutput | undefined, source: HeadObjectCommandOutput): boolean {
  const id = source.Metadata?.[STAGED_ID]
  return id !== undefined && target?.Metadata?.[STAGED_ID] === id
}
