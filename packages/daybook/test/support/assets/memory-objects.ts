import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import S3Object from 's3rver/lib/models/object.js'

type Metadata = Readonly<Record<string, string | number>>

interface StoredObject {
  readonly bytes: Buffer
  readonly metadata: Metadata
  readonly at: Date
}

interface PartUpload {
  readonly key: string
  readonly metadata: Metadata
  readonly at: Date
  readonly parts: Map<number, Buffer>
}

/** The result of an upload or a copy. */
interface Stored {
  readonly size: number
  readonly md5: string
}

const CHUNK = 64 * 1024

/**
 * The objects of one bucket, with the interface of s3rver's stores. Its own store of files responds before an object is written, shows
 * incomplete copies, and pages lists with a cipher that Node no longer has.
 */
export class MemoryObjects {
  readonly bucket: string
  readonly objects = new Map<string, StoredObject>()
  readonly uploads = new Map<string, PartUpload>()

  constructor(bucket: string) {
    this.bucket = bucket
  }

  async getBucket(name: string): Promise<object | null> {
    return name === this.bucket ? { name } : null
  }

  async getSubresource(): Promise<null> {
    return null
  }

  async existsObject(_bucket: string, key: string): Promise<boolean> {
    return this.objects.has(key)
  }

  async getObject(
    bucket: string,
    key: string,
    { start, end }: { readonly start?: number; readonly end?: number } = {},
  ): Promise<S3Object | null> {
    const stored = this.objects.get(key)
    if (!stored) return null
    const { length } = stored.bytes
    const range = { start: start ?? 0, end: Math.min(end ?? length - 1, length - 1) }
    const isOutside = start !== undefined && range.start > range.end
    const content = isOutside ? null : chunksOf(stored.bytes.subarray(range.start, range.end + 1))
    const object = new S3Object(bucket, key, content, metadataOf(stored))
    if (start !== undefined) object.range = range
    return object
  }

  async putObject({ key, content, metadata }: S3Object): Promise<Stored> {
    const bytes = Buffer.isBuffer(content) ? content : await buffer(content ?? Readable.from([]))
    return this.#store(key, bytes, metadata)
  }

  async copyObject(
    _from: string,
    fromKey: string,
    _to: string,
    toKey: string,
    metadata: Metadata | null,
  ): Promise<Metadata> {
    const from = this.objects.get(fromKey)
    if (!from) throw new Error(`There is no ${fromKey}`)
    this.#store(toKey, from.bytes, metadata ?? from.metadata)
    return metadataOf(this.objects.get(toKey) ?? from)
  }

  async deleteObject(_bucket: string, key: string): Promise<void> {
    this.objects.delete(key)
  }

  async initiateUpload(_bucket: string, key: string, id: string, metadata: Metadata): Promise<void> {
    this.uploads.set(id, { key, metadata, at: new Date(), parts: new Map() })
  }

  async putPart(_bucket: string, id: string, number: string, content: Readable): Promise<Stored> {
    const bytes = await buffer(content)
    this.uploads.get(id)?.parts.set(Number(number), bytes)
    return { size: bytes.length, md5: md5Of(bytes) }
  }

  async putObjectMultipart(
    _bucket: string,
    id: string,
    parts: readonly { readonly number: number }[],
  ): Promise<Stored> {
    const upload = this.uploads.get(id)
    if (!upload) throw new Error(`There is no upload ${id}`)
    const bytes = Buffer.concat(parts.map(({ number }) => upload.parts.get(number) ?? Buffer.alloc(0)))
    this.uploads.delete(id)
    return this.#store(upload.key, bytes, upload.metadata)
  }

  #store(key: string, bytes: Buffer, metadata: Metadata): Stored {
    this.objects.set(key, { bytes, metadata, at: new Date() })
    return { size: bytes.length, md5: md5Of(bytes) }
  }
}

const md5Of = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex')

/** Streams bytes in pieces, so that a reader can stop in the middle. */
function chunksOf(bytes: Buffer): Readable {
  let at = 0
  return new Readable({
    read() {
      this.push(at < bytes.length ? bytes.subarray(at, at + CHUNK) : null)
      at += CHUNK
    },
  })
}

const metadataOf = ({ bytes, metadata, at }: StoredObject): Metadata => ({
  ...metadata,
  etag: `"${md5Of(bytes)}"`,
  'last-modified': at.toUTCString(),
  'content-length': bytes.length,
})
