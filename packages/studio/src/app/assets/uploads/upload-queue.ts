import { Observable } from '../../api/observable.ts'
import type { Asset } from '../media/asset.ts'

/** The state of an upload; `paused` ones resume when the service is reachable again. */
export type UploadState = 'waiting' | 'sending' | 'paused' | 'stored' | 'failed'

export interface Upload {
  /** Unique in the queue. */
  readonly key: number
  readonly file: File
  readonly state: UploadState
  readonly sent: number
  readonly error: unknown
}

export interface SendOptions {
  /** The target folder; `undefined` is the top level. */
  readonly directory: string | undefined
  /** The same for each attempt, so that a file is not stored twice if a response is lost. */
  readonly idempotencyKey: string
  readonly signal: AbortSignal
  readonly onProgress: (sent: number) => void
}

export interface UploadDependencies {
  send(file: File, options: SendOptions): Promise<Asset>
  isUnreachableError(error: unknown): boolean
  onError(error: unknown): void
  onStored(asset: Asset): void
  makeKey(): string
}

/** The options of an upload and its running request. */
interface Job {
  readonly directory: string | undefined
  readonly idempotencyKey: string
  readonly onStored: ((asset: Asset) => void) | undefined
  controller: AbortController | undefined
}

/** The maximum number of concurrent uploads. */
const MAX_CONCURRENT = 2

/** Uploads files, a few at a time. */
export class UploadQueue {
  /** In the order of adding. */
  readonly uploads: Observable<readonly Upload[]> = new Observable<readonly Upload[]>([])
  readonly #dependencies: UploadDependencies
  readonly #jobs = new Map<number, Job>()
  #lastKey = 0

  constructor(dependencies: UploadDependencies) {
    this.#dependencies = dependencies
  }

  /** True if closing the page would lose uploads. */
  get isBusy(): boolean {
    return this.uploads.get().some(({ state }) => state !== 'stored' && state !== 'failed')
  }

  /**
   * @param onStored called with each of these files once it is stored
   * @returns the keys of the uploads
   */
  add(files: readonly File[], directory?: string, onStored?: (asset: Asset) => void): readonly number[] {
    const added = files.map((file): Upload => {
      this.#lastKey += 1
      const job = { directory, idempotencyKey: this.#dependencies.makeKey(), onStored, controller: undefined }
      this.#jobs.set(this.#lastKey, job)
      return { key: this.#lastKey, file, state: 'waiting', sent: 0, error: undefined }
    })
    this.uploads.set([...this.uploads.get(), ...added])
    this.#sendNext()
    return added.map(({ key }) => key)
  }

  /** Aborts an upload, and removes it. */
  cancel(key: number): void {
    this.#jobs.get(key)?.controller?.abort()
    this.#jobs.delete(key)
    this.uploads.set(this.uploads.get().filter((upload) => upload.key !== key))
    this.#sendNext()
  }

  retry(key: number): void {
    this.#change(key, (upload) => (upload.state === 'failed' ? { ...upload, state: 'waiting', sent: 0 } : upload))
    this.#sendNext()
  }

  resume(): void {
    this.uploads.set(
      this.uploads
        .get()
        .map((upload) => (upload.state === 'paused' ? { ...upload, state: 'waiting', sent: 0 } : upload)),
    )
    this.#sendNext()
  }

  /** Removes the stored ones of these uploads. */
  clearStored(keys: readonly number[]): void {
    this.uploads.set(this.uploads.get().filter(({ key, state }) => state !== 'stored' || !keys.includes(key)))
  }

  #sendNext(): void {
    const uploads = this.uploads.get()
    // While the service is unreachable, no upload can succeed.
    if (uploads.some(({ state }) => state === 'paused')) return
    const sending = uploads.filter(({ state }) => state === 'sending').length
    const next = uploads.filter(({ state }) => state === 'waiting').slice(0, Math.max(0, MAX_CONCURRENT - sending))
    for (const upload of next) void this.#send(upload)
  }

  async #send({ key, file }: Upload): Promise<void> {
    const job = this.#jobs.get(key)
    if (!job) return
    const { directory, idempotencyKey } = job
    const controller = new AbortController()
    const { signal } = controller
    job.controller = controller
    this.#change(key, (upload) => ({ ...upload, state: 'sending', error: undefined }))
    const onProgress = (sent: number): void => this.#change(key, (upload) => ({ ...upload, sent }))
    try {
      const asset = await this.#dependencies.send(file, { directory, idempotencyKey, signal, onProgress })
      if (signal.aborted) return
      this.#change(key, (upload) => ({ ...upload, state: 'stored', sent: file.size }))
      this.#jobs.delete(key)
      job.onStored?.(asset)
      this.#dependencies.onStored(asset)
    } catch (error) {
      if (signal.aborted) return
      const state = this.#dependencies.isUnreachableError(error) ? 'paused' : 'failed'
      this.#change(key, (upload) => ({ ...upload, state, error }))
      this.#dependencies.onError(error)
    }
    this.#sendNext()
  }

  #change(key: number, change: (upload: Upload) => Upload): void {
    this.uploads.set(this.uploads.get().map((upload) => (upload.key === key ? change(upload) : upload)))
  }
}
