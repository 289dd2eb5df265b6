import { randomUUID } from 'node:crypto'
import { DaybookError } from '../../errors.ts'
import type { S3Calls } from './s3-calls.ts'

/** The longest object that S3 copies in one call, in bytes. */
const MAX_OBJECT_BYTES: number = 5 * 1024 ** 3
/** The metadata by which a copy of a staged object is known. */
export const STAGED_ID = 'daybook-staged'

/** An upload of one object, part by part: in one call where there is one part. */
export class S3Upload {
  readonly #calls: S3Calls
  readonly #signal: AbortSignal
  readonly #target: { readonly Bucket: string; readonly Key: string }
  readonly #etags: string[] = []
  #uploadId: string | undefined
  #bytes = 0
  /** Whether the call that completes it has begun. */
  #isSent = false

  constructor(calls: S3Calls, key: string, signal: AbortSignal) {
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
