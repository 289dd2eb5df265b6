import { pipeline, type Readable } from 'node:stream'
import type { BlobHeaders } from '../../assets/blob-store.ts'
import { StartupError } from '../../errors.ts'
import type { FileClaim } from '../../store/records/file-claims.ts'
import type { Store } from '../../store/store.ts'
import { computeDigest, verifyDigest } from './digest.ts'
import type { Files } from './files.ts'
import type { StoredAssetFile } from './stored-files.ts'

/** How long the path of a file is claimed, in milliseconds; what ends before is swept by the next service. */
const CLAIM_MS = 24 * 60 * 60 * 1000
/** How many claims end in one transaction. */
const ENDED_AT_ONCE = 100

/**
 * Brings files to their paths before their assets are there, into a store that no service uses. Their paths stay claimed until the
 * end, so that a service removes the files of a restore that was given up.
 */
export class FileRestore {
  readonly #files: Files
  readonly #store: Store
  readonly #claims: FileClaim[] = []

  private constructor(files: Files, store: Store) {
    this.#files = files
    this.#store = store
  }

  static async begin(files: Files, store: Store): Promise<FileRestore> {
    // Those of an earlier run: nobody else writes here.
    const left = await store.read.system.fileClaims()
    await eachBatch(left, (batch) =>
      store.transaction(async (writer) => {
        for (const claim of batch) await writer.fileClaims.release(claim)
      }),
    )
    return new FileRestore(files, store)
  }

  /**
   * Brings a file to its path, unless it is there.
   *
   * @param open its bytes
   * @returns whether it was brought now
   * @throws {OtherBytes} when its digest is another one; {StartupError} when another file has the path
   */
  async restoreFile(
    { path, sha256 }: StoredAssetFile,
    headers: BlobHeaders,
    open: () => Promise<Readable>,
  ): Promise<boolean> {
    const claim = { path, holder: this.#files.createName() }
    const { state } = await this.#store.transaction((writer) => writer.fileClaims.take(claim, CLAIM_MS))
    if (state === 'taken') throw new StartupError(OTHERS_WRITE)
    this.#claims.push(claim)
    const blobs = await this.#files.blobs()
    const there = await blobs.read(path)
    if (there) {
      if ((await computeDigest(there.content)) === sha256) return false
      throw pathTaken(path)
    }
    const bytes = pipeline(await open(), verifyDigest(sha256), () => {})
    await blobs.stage(claim.holder, bytes, new AbortController().signal)
    if (await blobs.publish(claim.holder, path, headers)) return true
    await blobs.discard(claim.holder)
    throw pathTaken(path)
  }

  /** Ends the claims: the assets are stored. */
  async end(): Promise<void> {
    await eachBatch(this.#claims, (batch) =>
      this.#store.transaction(async (writer) => {
        for (const claim of batch) await writer.fileClaims.end(claim)
      }),
    )
  }
}

const OTHERS_WRITE = 'A service works with the files of this store. Stop it, and run the same command again.'

const pathTaken = (path: string): StartupError =>
  new StartupError(`The store of files has another file at ${path}. Restore into an empty one.`)

async function eachBatch<T>(items: readonly T[], work: (batch: readonly T[]) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += ENDED_AT_ONCE) await work(items.slice(at, at + ENDED_AT_ONCE))
}
