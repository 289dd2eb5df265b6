import { randomUUID } from 'node:crypto'
import pLimit from 'p-limit'
import { DaybookError } from '../../errors.ts'
import { TimeoutError, withTimeout } from '../../with-timeout.ts'
import type { S3BucketClient } from './s3-bucket-client.ts'

/** The longest object that S3 copies in one call, in bytes. */
const MAX_OBJECT_BYTES: number = 5 * 1024 ** 3
/** The metadata by which a copy of a staged object is known. */
export const STAGED_ID = 'daybook-staged'

/** An upload of one object, part by part: in one call where there is one part. */
export class S3Upload {
  readonly #calls: S3BucketClient
  readonly #signal: AbortSignal
  readonly #target: { readonly Bucket: string; readonly Key: string }
  readonly #etags: string[] = []
  #uploadId: string | undefined
  #bytes = 0
  /** Whether the call that completes it has begun. */
  #isSent = false

  constructor(calls: S3BucketClient, key: string, signal: AbortSignal) {
    this.#calls = calls
    this.#signal = signal
    this.#target = { Bucket: calls.bucket, Key: key }
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

  /** Removes what has been sent, as far as S3 answers; `staged` shows the rest. */
  async abandon(): Promise<void> {
    const { sdk } = this.#calls
    const ending: Promise<unknown>[] = []
    if (this.#uploadId !== undefined) {
      const upload = { ...this.#target, UploadId: this.#uploadId }
      ending.push(this.#calls.send(new sdk.AbortMultipartUploadCommand(upload)))
    }
    // Whether it was completed is not known when the answer was lost.
    if (this.#isSent) ending.push(this.#calls.send(new sdk.DeleteObjectCommand(this.#target)))
    await Promise.allSettled(ending)
  }

  async #put(bytes: Buffer): Promise<void> {
    const { sdk } = this.#calls
    const command = new sdk.PutObjectCommand({ ...this.#target, Body: bytes, Metadata: newMetadata() })
    this.#isSent = true
    await this.#calls.send(command, this.#signal)
  }

  async #begin(): Promise<string> {
    if (this.#uploadId !== undefined) return this.#uploadId
    const { sdk } = this.#calls
    const command = new sdk.CreateMultipartUploadCommand({ ...this.#target, Metadata: newMetadata() })
    const { UploadId = '' } = await this.#calls.send(command, this.#signal)
    this.#uploadId = UploadId
    return UploadId
  }

  async #sendPart(UploadId: string, Body: Buffer): Promise<void> {
    const { sdk } = this.#calls
    const PartNumber = this.#etags.length + 1
    const command = new sdk.UploadPartCommand({ ...this.#target, UploadId, PartNumber, Body })
    const { ETag = '' } = await this.#calls.send(command, this.#signal)
    this.#etags.push(ETag)
  }

  async #complete(UploadId: string): Promise<void> {
    const { sdk } = this.#calls
    const Parts = this.#etags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }))
    const command = new sdk.CompleteMultipartUploadCommand({ ...this.#target, UploadId, MultipartUpload: { Parts } })
    this.#isSent = true
    await this.#calls.send(command, this.#signal)
  }
}

const newMetadata = (): Record<string, string> => ({ [STAGED_ID]: randomUUID() })

/** How long a part is, but for the last one, in bytes: the least that S3 takes. */
const PART_BYTES: number = 5 * 1024 * 1024
/** How many parts are held at once, by all uploads together. */
const MAX_PARTS = 4
/** How long a stream may give nothing before others get its buffer, in milliseconds. */
const STALL_MS = 500

/** Lends buffers to uploads, one for a part, in the order in which they are asked for: 20 MiB in all, however many uploads there are. */
export class PartBuffers {
  readonly #limit = pLimit(MAX_PARTS)
  readonly #free: Buffer[] = []

  use<T>(work: (buffer: Buffer) => Promise<T>): Promise<T> {
    return this.#limit(async () => {
      const buffer = this.#free.pop() ?? Buffer.allocUnsafeSlow(PART_BYTES)
      const result = await work(buffer)
      // After a failure, a request may still read it.
      this.#free.push(buffer)
      return result
    })
  }
}

/** Reads a stream by parts. */
export class PartReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  /** What has arrived, and is in no part yet. */
  #held: Uint8Array[] = []
  #next: Promise<IteratorResult<Uint8Array>> | undefined
  #isDone = false

  constructor(content: AsyncIterable<Uint8Array>) {
    this.#chunks = content[Symbol.asyncIterator]()
  }

  /** Waits until more has arrived, or the end: without a buffer, which a slow client would keep from others. */
  async ready(): Promise<void> {
    if (!this.#isDone) this.#accept(await this.#pull())
  }

  /**
   * Fills a buffer, as far as the stream goes.
   *
   * @returns how many bytes are in it, fewer than it has room for at the end; `undefined`: the stream has stalled, and its bytes are kept
   * for the next buffer
   */
  async fill(buffer: Buffer): Promise<number | undefined> {
    let length = 0
    while (length < buffer.length) {
      if (this.#held.length > 0) length += this.#copyTo(buffer, length)
      else if (this.#isDone) break
      else if (!(await this.#arrives())) {
        this.#held = [Buffer.from(buffer.subarray(0, length))]
        return undefined
      }
    }
    return length
  }

  #copyTo(buffer: Buffer, start: number): number {
    const [first = new Uint8Array(), ...others] = this.#held
    const part = first.subarray(0, buffer.length - start)
    buffer.set(part, start)
    this.#held = part.length < first.length ? [first.subarray(part.length), ...others] : others
    return part.length
  }

  /** Waits a moment for more. @returns whether more, or the end, has arrived */
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
    else this.#held.push(result.value)
  }
}
