import { pipeline, type Readable } from 'node:stream'
import type { BlobHeaders } from '../../assets/blob-store.ts'
import { StartupError } from '../../errors.ts'
import type { FileClaim } from '../../store/records/file-claims.ts'
import type { Store } from '../../store/store.ts'
import { computeDigest, verifyDigest } from './digest.ts'
import type { Files } from './files.ts'
import type { StoredAssetFile } from './stored-files.ts'

const CLAIM_MS = 24 * 60 * 60 * 1000
/** The number of claims that end in one transaction. */
const CLAIMS_PER_TRANSACTION = 100

/**
 * Restores files before their assets, in a store that no service uses. Their paths stay claimed until the end, so that a service
 * removes the files of an aborted restore.
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
    // These claims are from an earlier run, since nothing else writes to this store.
    const remainingClaims = await store.read.system.fileClaims()
    await forEachBatch(remainingClaims, (batch) =>
      store.transaction(async (writer) => {
        for (const claim of batch) await writer.fileClaims.release(claim)
      }),
    )
    return new FileRestore(files, store)
  }

  /**
   * Stores a file at its path, unless it is already there.
   *
   * @param open opens the bytes
   * @returns true if the file was stored now
   * @throws {DigestMismatch} if its digest differs; {StartupError} if another file has the path
   */
  async restoreFile(
    { path, sha256 }: StoredAssetFile,
    headers: BlobHeaders,
    open: () => Promise<Readable>,
  ): Promise<boolean> {
    const claim = { path, holder: this.#files.createName() }
    const { state } = await this.#store.transaction((writer) => writer.fileClaims.take(claim, CLAIM_MS))
    if (state === 'taken') throw new StartupError(STORE_IN_USE)
    this.#claims.push(claim)
    const blobs = await this.#files.blobs()
    const existing = await blobs.read(path)
    if (existing) {
      if ((await computeDigest(existing.content)) === sha256) return false
      throw createPathTakenError(path)
    }
    const bytes = pipeline(await open(), verifyDigest(sha256), () => {})
    await blobs.stage(claim.holder, bytes, new AbortController().signal)
    if (await blobs.publish(claim.holder, path, headers)) return true
    await blobs.discard(claim.holder)
    throw createPathTakenError(path)
  }

  /** Ends the claims after the assets have been stored. */
  async end(): Promise<void> {
    await forEachBatch(this.#claims, (batch) =>
      this.#store.transaction(async (writer) => {
        for (const claim of batch) await writer.fileClaims.end(claim)
      }),
    )
  }
}

const STORE_IN_USE = 'A service uses the files of this store. Stop it, and run the same command again.'

const createPathTakenError = (path: string): StartupError =>
  new StartupError(`The file store already has another file at ${path}. Restore into an empty one.`)

async function forEachBatch<T>(items: readonly T[], work: (batch: readonly T[]) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += CLAIMS_PER_TRANSACTION)
    await work(items.slice(at, at + CLAIMS_PER_TRANSACTION))
}
