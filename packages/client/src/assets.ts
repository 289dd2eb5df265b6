import { Collection } from './collection.ts'
import type { QueryParams } from './query.ts'
import type { CallOptions, Send } from './request.ts'
import { type AnyUploadOptions, closeSource, toUploadForm, type UploadSource } from './upload.ts'

/** An upload has no timeout by default, since files may be large. */
const UPLOAD_TIMEOUT = Number.POSITIVE_INFINITY

/** Implements `AssetClient` without its types. */
export class Assets extends Collection {
  readonly #send: Send

  constructor(send: Send) {
    super(send, 'assets')
    this.#send = send
  }

  list(query?: QueryParams, options?: CallOptions): Promise<unknown> {
    return this.findMany(query, options)
  }

  get(id: string, query?: QueryParams, options?: CallOptions): Promise<unknown> {
    return this.findById(id, query, options)
  }

  async upload(file: UploadSource, options: AnyUploadOptions = {}): Promise<unknown> {
    try {
      return await this.#upload(file, options)
    } finally {
      closeSource(file)
    }
  }

  #upload(file: UploadSource, options: AnyUploadOptions): Promise<unknown> {
    const { locale, dryRun, timeout = UPLOAD_TIMEOUT, signal, idempotencyKey, retry } = options
    return this.#send({
      method: 'POST',
      path: ['api', 'assets'],
      query: { locale, dryRun },
      form: toUploadForm(file, options),
      timeout,
      // A stream can be read only once.
      retry: file instanceof Blob ? { ...retry } : { attempts: 1 },
      ...(signal && { signal }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    })
  }
}
