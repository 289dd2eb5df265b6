import { Observable } from '../../api/observable.ts'
import type { Asset } from '../media/asset.ts'

/** How far an upload is: `paused` ones go on when the service can be reached again. */
export type UploadState = 'waiting' | 'sending' | 'paused' | 'stored' | 'failed'

/** A file on its way. */
export interface Upload {
  /** Differs from those of all other uploads of the queue. */
  readonly key: number
  readonly file: File
  readonly state: UploadState
  /** In bytes. */
  readonly sent: number
  /** What it failed with last. */
  readonly error: unknown
}

/** What is said of a file that is sent. */
export interface SendOptions {
  /** Where it is to lie; `undefined`: at the top. */
  readonly directory: string | undefined
  /** The same for each attempt, so that a file whose answer was lost is not stored twice. */
  readonly idempotencyKey: string
  readonly signal: AbortSignal
  readonly onProgress: (sent: number) => void
}

/** The parts that a queue needs. */
export interface UploadDependencies {
  send(file: File, options: SendOptions): Promise<Asset>
  /** Whether an error says that the service cannot be reached now. */
  isUnreachableError(error: unknown): boolean
  /** Called with each error. */
  onError(error: unknown): void
  /** Called with each file that is stored. */
  onStored(asset: Asset): void
  makeKey(): string
}

/** What came with a file, and what is under way. */
interface Job {
  readonly directory: string | undefined
  readonly idempotencyKey: string
  readonly onStored: ((asset: Asset) => void) | undefined
  ending: AbortController | undefined
}

/** How many files are sent at once. */
const AT_ONCE = 2

/** Sends files, a few at a time. */
export class UploadQueue {
  /** In the order in which they were added. */
  readonly uploads: Observable<readonly Upload[]> = new Observable<readonly Upload[]>([])
  readonly #parts: UploadDependencies
  readonly #jobs = new Map<number, Job>()
  #lastKey = 0

  constructor(parts: UploadDependencies) {
    this.#parts = parts
  }

  /** Whether anything of it would be lost with the page. */
  get isBusy(): boolean {
    return this.uploads.get().some(({ state }) => state !== 'stored' && state !== 'failed')
  }

  /**
   * Adds files.
   *
   * @param directory where they are to lie
   * @param onStored called with each of these files that is stored
   * @returns their keys
   */
  add(files: readonly File[], directory?: string, onStored?: (asset: Asset) => void): readonly number[] {
    const added = files.map((file): Upload => {
      this.#lastKey += 1
      const job = { directory, idempotencyKey: this.#parts.makeKey(), onStored, ending: undefined }
      this.#jobs.set(this.#lastKey, job)
      return { key: this.#lastKey, file, state: 'waiting', sent: 0, error: undefined }
    })
    this.uploads.set([...this.uploads.get(), ...added])
    this.#goOn()
    return added.map(({ key }) => key)
  }

  /** Ends an upload, and forgets it. */
  cancel(key: number): void {
    this.#jobs.get(key)?.ending?.abort()
    this.#jobs.delete(key)
    this.uploads.set(this.uploads.get().filter((one) => one.key !== key))
    this.#goOn()
  }

  /** Sends a file again that failed. */
  retry(key: number): void {
    this.#change(key, (upload) => (upload.state === 'failed' ? { ...upload, state: 'waiting', sent: 0 } : upload))
    this.#goOn()
  }

  /** Goes on with what is paused: the service can be reached again. */
  resume(): void {
    this.uploads.set(
      this.uploads.get().map((one) => (one.state === 'paused' ? { ...one, state: 'waiting', sent: 0 } : one)),
    )
    this.#goOn()
  }

  /** Forgets what is stored of these. */
  clearStored(keys: readonly number[]): void {
    this.uploads.set(this.uploads.get().filter(({ key, state }) => state !== 'stored' || !keys.includes(key)))
  }

  #goOn(): void {
    const all = this.uploads.get()
    // While the service is away, one file tries alone would be asked for nothing: all wait.
    if (all.some(({ state }) => state === 'paused')) return
    const sending = all.filter(({ state }) => state === 'sending').length
    const next = all.filter(({ state }) => state === 'waiting').slice(0, Math.max(0, AT_ONCE - sending))
    for (const upload of next) void this.#send(upload)
  }

  async #send({ key, file }: Upload): Promise<void> {
    const job = this.#jobs.get(key)
    if (!job) return
    const { directory, idempotencyKey } = job
    const ending = new AbortController()
    job.ending = ending
    this.#change(key, (upload) => ({ ...upload, state: 'sending', error: undefined }))
    const onProgress = (sent: number): void => this.#change(key, (upload) => ({ ...upload, sent }))
    try {
      const asset = await this.#parts.send(file, { directory, idempotencyKey, signal: ending.signal, onProgress })
      if (ending.signal.aborted) return
      this.#change(key, (upload) => ({ ...upload, state: 'stored', sent: file.size }))
      this.#jobs.delete(key)
      job.onStored?.(asset)
      this.#parts.onStored(asset)
    } catch (error) {
      if (ending.signal.aborted) return
      const state = this.#parts.isUnreachableError(error) ? 'paused' : 'failed'
      this.#change(key, (upload) => ({ ...upload, state, error }))
      this.#parts.onError(error)
    }
    this.#goOn()
  }

  #change(key: number, change: (upload: Upload) => Upload): void {
    this.uploads.set(this.uploads.get().map((one) => (one.key === key ? change(one) : one)))
  }
}
