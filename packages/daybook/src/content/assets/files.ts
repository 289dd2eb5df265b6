import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import { type BlobHeaders, type BlobStore, IMAGE_VARIANTS_PREFIX } from '../../assets/blob-store.ts'
import type { AssetQuota } from '../../config/assets.ts'
import { DaybookError } from '../../errors.ts'
import { ASSETS } from '../../fields/asset.ts'
import type { Log } from '../../log.ts'
import { FILTERABLE_AUTHOR_FIELDS } from '../../model/authors.ts'
import type { CollectionModel, FilterableField, Model } from '../../model/model.ts'
import { equals } from '../../query/where.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { FileClaim } from '../../store/records/file-claims.ts'
import type { Store } from '../../store/store.ts'
import type { Writer } from '../../store/writes/writer.ts'
import { type DeletedFile, DeletedFiles, pathTakenSinceError } from './deleted-files.ts'
import { ProcessName } from './process-name.ts'

export interface ImageMetadata {
  /** In pixels. */
  readonly width?: number | undefined
  readonly height?: number | undefined
  /** As a `data:` URL. */
  readonly placeholder?: string | undefined
}

/** The lifetime of a claim unless it is renewed, in milliseconds. */
const CLAIM_MS = 60_000
/** The maximum time that an upload waits for a claimed path, and the interval between attempts, in milliseconds. */
const MAX_CLAIM_WAIT_MS = 5000
const CLAIM_RETRY_MS = 50
const CLAIM_RENEWAL_MS = 20_000
/** The age at which a staged file is removed even if its process may still run, in milliseconds. */
const MAX_STAGED_MS = 24 * 60 * 60 * 1000
/** The time within which the deletion of an asset should be committed, in milliseconds; the sweep handles later ones. */
const MAX_DELETION_MS = 60_000
/** The number of paths that are claimed in one transaction, and of files that are removed at the same time. */
const CLAIMS_PER_TRANSACTION = 100
const MAX_CONCURRENT_REMOVALS = 8

export interface FilePlacement {
  readonly staged: string
  readonly path: string
  readonly headers: BlobHeaders
}

/** A file that is to be moved to a claimed path. */
interface ClaimedPlacement {
  readonly path: string
  /** The journal's number of the deletion for which the file is kept if its asset is not stored; 0: the file is removed. */
  readonly deletion: number
  /** Moves the file to the path. @returns the error if that fails */
  bring(): Promise<DaybookError | undefined>
  /** The error if an asset or another upload has the path. */
  readonly refusal: DaybookError
}

/** Ends a claim in the transaction that stores the asset of the path. */
export type EndClaim = (writer: Writer) => Promise<void>

export interface DerivedImages {
  /** Describes an image by its path and its media type; `undefined` for other files. */
  describe(path: string, mimeType: string): Promise<ImageMetadata | undefined>
  deleteVariants(sha256: string): Promise<void>
}

export interface FilesParts {
  readonly model: Model
  readonly store: Store
  readonly log: Log
  /** The quota of each account or token. */
  readonly quota: AssetQuota | undefined
  openBlobs(): Promise<BlobStore>
}

/**
 * The files of assets, which stay consistent with the assets: a path is claimed in the store before its file exists, the claim ends in
 * the transaction that stores the asset, and the transaction that deletes an asset claims its path without a holder. {@link sweep}
 * clears the paths of claims whose holders are gone. The bytes of restorable deleted assets move to a key that is not public.
 */
export class Files {
  readonly deleted: DeletedFiles
  readonly #parts: FilesParts
  readonly #process = new ProcessName()
  #blobs: Promise<BlobStore> | undefined
  #images: DerivedImages | undefined
  /** The paths of assets with a pending deletion, and the time until which each is awaited. */
  readonly #pendingDeletions = new Map<string, number>()
  #endListening: (() => void) | undefined
  #removal: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(parts: FilesParts) {
    this.#parts = parts
    this.deleted = new DeletedFiles({ store: parts.store, assets: () => this.#assets, blobs: () => this.blobs() })
  }

  /** Returns the store of the files, which is opened when it is first needed. */
  blobs(): Promise<BlobStore> {
    this.#blobs ??= this.#parts.openBlobs()
    this.#blobs.catch(() => {
      this.#blobs = undefined
    })
    return this.#blobs
  }

  /** Also removes the derived images of deleted files. Without this, another process removes them. */
  attachImages(images: DerivedImages): void {
    this.#images = images
  }

  /**
   * Checks the quota of an author after a transaction has stored files.
   *
   * @param isCaller true if the author is the caller
   * @throws FORBIDDEN, PAYLOAD_TOO_LARGE with `details.limit`
   */
  async requireQuota(read: Reader, author: string, isCaller = true): Promise<void> {
    const { quota } = this.#parts
    if (quota) await requireWithinQuota(read, this.#assets, author, isCaller, quota)
  }

  async describe(path: string, mimeType: string): Promise<ImageMetadata | undefined> {
    return this.#images?.describe(path, mimeType)
  }

  /** Creates a name under which this process may stage a file. */
  createName(): string {
    return this.#process.createName()
  }

  /**
   * Moves a staged file to its path, and stores its asset.
   *
   * @param commit stores the asset, and calls its argument in the same transaction
   * @throws CONFLICT with `details.field` if the path is in use; the error of `commit`, after removing the file
   */
  async place<T>({ staged, path, headers }: FilePlacement, commit: (end: EndClaim) => Promise<T>): Promise<T> {
    const placement: ClaimedPlacement = {
      path,
      deletion: 0,
      bring: async () =>
        (await (await this.blobs()).publish(staged, path, headers)) ? undefined : pathTakenError(path),
      refusal: pathTakenError(path),
    }
    return this.#placeWithClaim(placement, commit)
  }

  /**
   * Moves the file of a deleted asset back to its path, and stores the asset. If that fails, the file is kept as before.
   *
   * @param commit see {@link place}
   * @throws NOT_FOUND if the bytes are gone; CONFLICT with `details.field` if the path is in use; the error of `commit`
   */
  async restore<T>(file: DeletedFile, commit: (end: EndClaim) => Promise<T>): Promise<T> {
    const { path, deletion } = file
    const bring = (): Promise<DaybookError | undefined> => this.deleted.moveBack(file)
    return this.#placeWithClaim({ path, deletion, bring, refusal: pathTakenSinceError(path) }, commit)
  }

  async #placeWithClaim<T>(
    { path, deletion, bring, refusal }: ClaimedPlacement,
    commit: (end: EndClaim) => Promise<T>,
  ): Promise<T> {
    const claim: FileClaim = { path, holder: this.createName() }
    const leftDeletion = await this.#claim(claim, refusal)
    const renewal = setInterval(() => void this.#renew(claim), CLAIM_RENEWAL_MS).unref()
    let reason: DaybookError | undefined
    try {
      if (leftDeletion !== undefined) await this.deleted.clearPath(path, leftDeletion)
      if ((leftDeletion ?? 0) !== deletion) await this.#expect(claim, deletion)
      reason = await bring()
      if (reason) throw reason
      return await commit(async (writer) => {
        if (!(await writer.fileClaims.end(claim))) throw createClaimLostError()
      })
    } catch (error) {
      if (reason) await this.#parts.store.transaction((writer) => writer.fileClaims.end(claim))
      // The file may have moved and the transaction may have been committed, so check both stores.
      else await this.#abandon(claim)
      throw error
    } finally {
      clearInterval(renewal)
    }
  }

  /** Clears the path of an asset once its pending deletion is committed. */
  clearAfterDeletion(path: string): void {
    if (this.#isClosed) return
    this.#pendingDeletions.set(path, Date.now() + MAX_DELETION_MS)
    this.#endListening ??= this.#parts.store.journal.onGrowth(() => this.#startRemoval())
  }

  /** Removes files that no asset needs: the remains of interrupted uploads, and the files of assets that cannot be restored. */
  async sweep(): Promise<void> {
    const { store, log } = this.#parts
    const claims = await store.read.system.fileClaims()
    const abandoned = claims.filter(({ holder }) => this.#process.isGone(holder))
    if (abandoned.length > 0)
      await store.transaction((writer) => forEachInTurn(abandoned, (claim) => writer.fileClaims.release(claim)))
    await this.#clearUnused(claims.map(({ path }) => path))
    await this.deleted.purge()
    const staged = await this.#sweepStaged()
    if (claims.length + staged > 0) log.info({ paths: claims.length, staged }, 'files: swept')
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#endListening?.()
    await this.#removal
    await (await this.#blobs?.catch(() => undefined))?.close()
  }

  /** @returns the deletion whose bytes may be at the path; 0 for bytes of an interrupted upload; `undefined` for an unused path */
  async #claim(claim: FileClaim, refusal: DaybookError): Promise<number | undefined> {
    const { store } = this.#parts
    for (const until = Date.now() + MAX_CLAIM_WAIT_MS; ; await sleep(CLAIM_RETRY_MS)) {
      const result = await store.transaction(async (writer) =>
        (await this.#hasAsset(writer.read, claim.path)) ? undefined : writer.fileClaims.take(claim, CLAIM_MS),
      )
      // Another upload holds the path, or a sweep that is about to release it.
      const isWorthWaiting = result?.state === 'taken' && Date.now() < until
      if (isWorthWaiting) continue
      if (!result || result.state === 'taken') throw refusal
      return result.state === 'left' ? result.deletion : undefined
    }
  }

  /** @throws SERVICE_UNAVAILABLE if the claim was lost, so that bytes at the path would have no owner */
  async #expect(claim: FileClaim, deletion: number): Promise<void> {
    if (!(await this.#parts.store.transaction((writer) => writer.fileClaims.expectBytes(claim, deletion))))
      throw createClaimLostError()
  }

  async #renew(claim: FileClaim): Promise<void> {
    const { store, log } = this.#parts
    try {
      await store.transaction((writer) => writer.fileClaims.take(claim, CLAIM_MS))
    } catch (err) {
      log.warn({ err }, 'files: a claim could not be renewed')
    }
  }

  async #release(claim: FileClaim): Promise<void> {
    await this.#parts.store.transaction((writer) => writer.fileClaims.release(claim))
  }

  async #abandon(claim: FileClaim): Promise<void> {
    try {
      await this.#release(claim)
      await this.#clearUnused([claim.path])
    } catch (err) {
      this.#parts.log.warn({ err }, 'files: the remains of an upload could not be removed; the next sweep removes them')
    }
  }

  #startRemoval(): void {
    this.#removal = this.#removal
      .then(() => this.#removeDeleted())
      .catch((err) =>
        this.#parts.log.warn({ err }, 'files: deleted files could not be removed; the next sweep removes them'),
      )
  }

  async #removeDeleted(): Promise<void> {
    if (this.#pendingDeletions.size === 0 || this.#isClosed) return
    const claims = await this.#parts.store.read.system.fileClaims()
    const committed = claims.map(({ path }) => path).filter((path) => this.#pendingDeletions.has(path))
    await this.#clearUnused(committed)
    for (const path of committed) this.#pendingDeletions.delete(path)
    for (const [path, until] of this.#pendingDeletions) if (until < Date.now()) this.#pendingDeletions.delete(path)
    if (this.#pendingDeletions.size > 0) return
    this.#endListening?.()
    this.#endListening = undefined
  }

  /** Clears paths without a holder and without an asset. */
  async #clearUnused(paths: readonly string[]): Promise<void> {
    const ownPaths = this.#images ? paths : paths.filter((path) => !path.startsWith(IMAGE_VARIANTS_PREFIX))
    for (let at = 0; at < ownPaths.length; at += CLAIMS_PER_TRANSACTION) {
      await this.#clearBatch(ownPaths.slice(at, at + CLAIMS_PER_TRANSACTION))
    }
  }

  async #clearBatch(paths: readonly string[]): Promise<void> {
    const { store } = this.#parts
    const holder = this.createName()
    const claims: FileClaim[] = []
    const unused: { readonly path: string; readonly deletion: number }[] = []
    await store.transaction(async (writer) => {
      claims.length = 0
      unused.length = 0
      await forEachInTurn(paths, async (path) => {
        const result = await writer.fileClaims.take({ path, holder }, CLAIM_MS)
        if (result.state === 'taken') return
        claims.push({ path, holder })
        const deletion = result.state === 'left' ? result.deletion : 0
        if (!(await this.#hasAsset(writer.read, path))) unused.push({ path, deletion })
      })
    })
    try {
      const limit = pLimit(MAX_CONCURRENT_REMOVALS)
      await Promise.all(unused.map(({ path, deletion }) => limit(() => this.#clear(path, deletion))))
    } catch (error) {
      // Uploads must not wait for these claims once the store is back.
      await store.transaction((writer) => forEachInTurn(claims, (claim) => writer.fileClaims.release(claim)))
      throw error
    }
    await store.transaction((writer) =>
      forEachInTurn(claims, async (claim) => void (await writer.fileClaims.end(claim))),
    )
  }

  async #clear(path: string, deletion: number): Promise<void> {
    if (path.startsWith(IMAGE_VARIANTS_PREFIX))
      await this.#images?.deleteVariants(path.slice(IMAGE_VARIANTS_PREFIX.length))
    else await this.deleted.clearPath(path, deletion)
  }

  async #sweepStaged(): Promise<number> {
    const blobs = await this.blobs()
    let removed = 0
    for await (const { name, at } of blobs.staged()) {
      if (!this.#process.isGone(name) && at.getTime() > Date.now() - MAX_STAGED_MS) continue
      await blobs.discard(name)
      removed += 1
    }
    return removed
  }

  get #assets(): CollectionModel {
    return this.#parts.model.collections.get(ASSETS) as CollectionModel
  }

  async #hasAsset(read: Reader, path: string): Promise<boolean> {
    const [field, value] = path.startsWith(IMAGE_VARIANTS_PREFIX)
      ? ['sha256', path.slice(IMAGE_VARIANTS_PREFIX.length)]
      : ['path', path]
    return (await read.entries.storedByValue(this.#assets, field, value)) !== undefined
  }
}

export const pathTakenError = (path: string): DaybookError =>
  new DaybookError(
    'CONFLICT',
    `The path ${path} is already used by another file. Choose another filename or directory.`,
    { field: 'filename' },
  )

const createClaimLostError = (): DaybookError =>
  new DaybookError('SERVICE_UNAVAILABLE', 'Storing the file took too long. Send the request again.')

async function forEachInTurn<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (const item of items) await work(item)
}

/**
 * Checks that the files of an author are within the quota. Runs in the transaction that stores a file, so that concurrent uploads
 * cannot exceed it.
 *
 * @param isCaller true if the author is the caller
 * @throws FORBIDDEN with `details.limit` for too many files; PAYLOAD_TOO_LARGE with `details.limit` for too many bytes
 */
async function requireWithinQuota(
  read: Reader,
  assets: CollectionModel,
  author: string,
  isCaller: boolean,
  { files = Number.POSITIVE_INFINITY, bytes = Number.POSITIVE_INFINITY }: AssetQuota,
): Promise<void> {
  const where = equals(FILTERABLE_AUTHOR_FIELDS.get('createdBy') as FilterableField, author)
  const sum = { kind: 'sum', name: 'sum:size', by: assets.filterableFields.get('size') as FilterableField } as const
  const size = { matching: 1, visible: 1, total: 1 }
  const usage = await read.lists.value(assets, sum, { where, statuses: undefined, search: undefined, size })
  if ((usage?.count ?? 0) > files) {
    const message = isCaller
      ? `You already have ${files} files, which is the maximum. Delete one first.`
      : `The uploader of this file already has ${files} other files, which is the maximum. Delete one of them first.`
    throw new DaybookError('FORBIDDEN', message, { limit: files })
  }
  if (Number(usage?.value ?? 0) > bytes) {
    const message = `${isCaller ? 'Your files' : 'The files of its uploader'} may have at most ${bytes} bytes together, this one included. Delete some first.`
    throw new DaybookError('PAYLOAD_TOO_LARGE', message, { limit: bytes })
  }
}
