import { randomUUID } from 'node:crypto'
import pLimit from 'p-limit'
import { DaybookError } from '../../errors.ts'
import { TimeoutError, withTimeout } from '../../with-timeout.ts'
import type { S3BucketClient } from './s3-bucket-client.ts'

/** The maximum size of an object that S3 copies in one call, in bytes. */
const MAX_OBJECT_BYTES: number = 5 * 1024 ** 3
/** The metadata that identifies copies of a staged object. */
export const STAGED_ID = 'daybook-staged'

/** An upload of one object in parts, or in one call if there is only one part. */
export class S3Upload {
  readonly #client: S3BucketClient
  readonly #signal: AbortSignal
  readonly #target: { readonly Bucket: string; readonly Key: string }
  readonly #etags: string[] = []
  #uploadId: string | undefined
  #bytes = 0
  /** True once the completing call has begun. */
  #isSent = false

  constructor(client: S3BucketClient, key: string, signal: AbortSignal) {
    this.#client = client
    this.#signal = signal
    this.#target = { Bucket: client.bucket, Key: key }
  }

  /**
   * Sends the next part.
   *
   * @throws PAYLOAD_TOO_LARGE above 5 GiB; SERVICE_UNAVAILABLE, INSUFFICIENT_STORAGE
   */
  async send(bytes: Buffer, isLast: boolean): Promise<void> {
    this.#bytes += bytes.length
    if (this.#bytes > MAX_OBJECT_BYTES)
      throw new DaybookError('PAYLOAD_TOO_LARGE', undefined, { limit: MAX_OBJECT_BYTES })
    if (isLast && this.#uploadId === undefined) return await this.#put(bytes)
    const uploadId = await this.#begin()
    if (bytes.length > 0) await this.#sendPart(uploadId, bytes)
    if (isLast) await this.#complete(uploadId)
  }

  /** Removes the sent parts, as far as S3 responds. `staged()` lists the rest. */
  async abandon(): Promise<void> {
    const { sdk } = this.#client
    const removals: Promise<unknown>[] = []
    if (this.#uploadId !== undefined) {
      const upload = { ...this.#target, UploadId: this.#uploadId }
      removals.push(this.#client.send(new sdk.AbortMultipartUploadCommand(upload)))
    }
    // The upload may be complete if the response was lost.
    if (this.#isSent) removals.push(this.#client.send(new sdk.DeleteObjectCommand(this.#target)))
    await Promise.allSettled(removals)
  }

  async #put(bytes: Buffer): Promise<void> {
    const { sdk } = this.#client
    const command = new sdk.PutObjectCommand({ ...this.#target, Body: bytes, Metadata: newMetadata() })
    this.#isSent = true
    await this.#client.send(command, this.#signal)
  }

  async #begin(): Promise<string> {
    if (this.#uploadId !== undefined) return this.#uploadId
    const { sdk } = this.#client
    const command = new sdk.CreateMultipartUploadCommand({ ...this.#target, Metadata: newMetadata() })
    const { UploadId = '' } = await this.#client.send(command, this.#signal)
    this.#uploadId = UploadId
    return UploadId
  }

  async #sendPart(UploadId: string, Body: Buffer): Promise<void> {
    const { sdk } = this.#client
    const PartNumber = this.#etags.length + 1
    const command = new sdk.UploadPartCommand({ ...this.#target, UploadId, PartNumber, Body })
    const { ETag = '' } = await this.#client.send(command, this.#signal)
    this.#etags.push(ETag)
  }

  async #complete(UploadId: string): Promise<void> {
    const { sdk } = this.#client
    const Parts = this.#etags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }))
    const command = new sdk.CompleteMultipartUploadCommand({ ...this.#target, UploadId, MultipartUpload: { Parts } })
    this.#isSent = true
    await this.#client.send(command, this.#signal)
  }
}

const newMetadata = (): Record<string, string> => ({ [STAGED_ID]: randomUUID() })

/** The size of all parts except the last, in bytes, the minimum of S3. */
const PART_BYTES: number = 5 * 1024 * 1024
/** The maximum number of parts in memory, of all uploads together. */
const MAX_PARTS = 4
/** The time without data after which a stream returns its buffer, in milliseconds. */
const STALL_MS = 500

/** Lends buffers to uploads in order of request, one for each part: at most 20 MiB for all uploads. */
export class PartBuffers {
  readonly #limit = pLimit(MAX_PARTS)
  readonly #free: Buffer[] = []

  use<T>(work: (buffer: Buffer) => Promise<T>): Promise<T> {
    return this.#limit(async () => {
      const buffer = this.#free.pop() ?? Buffer.allocUnsafeSlow(PART_BYTES)
      const result = await work(buffer)
      // Not returned after a failure, because a request may still read it.
      this.#free.push(buffer)
      return result
    })
  }
}

export class PartReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  /** Chunks that have arrived and are in no part yet. */
  #pendingChunks: Uint8Array[] = []
  #next: Promise<IteratorResult<Uint8Array>> | undefined
  #isDone = false

  constructor(content: AsyncIterable<Uint8Array>) {
    this.#chunks = content[Symbol.asyncIterator]()
  }

  /** Waits for the next chunk or the end, without a buffer, which a slow client would withhold from others. */
  async ready(): Promise<void> {
    if (!this.#isDone) this.#accept(await this.#pull())
  }

  /**
   * Fills a buffer from the stream.
   *
   * @returns the number of bytes, less than the buffer's length only at the end; `undefined` if the stream has stalled, with its bytes kept for
   * the next buffer
   */
  async fill(buffer: Buffer): Promise<number | undefined> {
    let length = 0
    while (length < buffer.length) {
      if (this.#pendingChunks.length > 0) length += this.#copyTo(buffer, length)
      else if (this.#isDone) break
      else if (!(await this.#arrives())) {
        this.#pendingChunks = [Buffer.from(buffer.subarray(0, length))]
        return undefined
      }
    }
    return length
  }

  #copyTo(buffer: Buffer, start: number): number {
    const [first = new Uint8Array(), ...rest] = this.#pendingChunks
    const part = first.subarray(0, buffer.length - start)
    buffer.set(part, start)
    this.#pendingChunks = part.length < first.length ? [first.subarray(part.length), ...rest] : rest
    return part.length
  }

  /** Waits briefly for the next chunk. @returns true if it or the end has arrived */
  async #arrives(): Promise<boolean> {
    try {
      this.#accept(await withTimeout(STALL_MS, () => this.#pull()))
      return true
    } catch (error) {
      if (error instanceof TimeoutError) return false
      throw error
    }
  }

  #pull(): Promise<IteratorResult<Uint8Array>> {
    this.#next ??= this.#chunks.next()
    return this.#next
  }

  #accept(result: IteratorResult<Uint8Array>): void {
    this.#next = undefined
    if (result.done) this.#isDone = true
    else this.#pendingChunks.push(result.value)
  }
}
