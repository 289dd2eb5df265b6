import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import { type BlobHeaders, type BlobStore, IMAGES } from '../../assets/blob-store.ts'
import type { AssetQuota } from '../../config/assets.ts'
import { DaybookError } from '../../errors.ts'
import { ASSETS } from '../../fields/relations/asset.ts'
import type { Log } from '../../log.ts'
import type { CollectionModel, Model } from '../../model/model.ts'
import type { Reader } from '../../store/reads/read.ts'
import type { FileClaim } from '../../store/records/file-claims.ts'
import type { Store } from '../../store/store.ts'
import type { Writer } from '../../store/writes/write.ts'
import type { ImageFacts } from './image-facts.ts'
import { ProcessName } from './process-name.ts'
import { requireWithinQuota } from './quota.ts'

/** How long a path is claimed at a time, in milliseconds. */
const CLAIM_MS = 60_000
/** How long an upload waits for a path that is claimed, and between two looks, in milliseconds. */
const MAX_CLAIM_WAIT_MS = 5000
const CLAIM_WAIT_MS = 50
/** How often a claim is renewed, in milliseconds. */
const RENEW_MS = 20_000
/** How old something staged is when it is removed though its process may still run, in milliseconds. */
const MAX_STAGED_MS = 24 * 60 * 60 * 1000
/** How long the deletion of an asset may take until it is stored, in milliseconds; a sweep finds what takes longer. */
const MAX_DELETION_MS = 60_000
/** How many paths are claimed in one transaction, and how many files removed at a time. */
const SETTLED_AT_ONCE = 100
const REMOVED_AT_ONCE = 8

/** A file that is staged, and the path that it is to have. */
export interface FilePlacement {
  /** Its name among what is staged. */
  readonly staged: string
  readonly path: string
  readonly headers: BlobHeaders
}

/** Gives back what is behind a claim: called in the transaction that makes the path an asset's. */
export type EndClaim = (writer: Writer) => Promise<void>

/** Pictures that are made of files, by the digest of the file. */
export interface MadeImages {
  /** What is known of a picture, by its path and its media type; `undefined`: it is none. */
  describe(path: string, mimeType: string): Promise<ImageFacts | undefined>
  /** Removes all that are made of a file. */
  forget(sha256: string): Promise<void>
}

/** What files need to know and do. */
export interface FilesParts {
  readonly model: Model
  readonly store: Store
  readonly log: Log
  /** How much each account or token may store. */
  readonly quota: AssetQuota | undefined
  openBlobs(): Promise<BlobStore>
}

/**
 * The files of the assets. File and asset never part: a path is claimed in the store before its file is there, the claim ends in
 * the transaction that stores the asset, and the transaction that deletes an asset claims its path for nobody. {@link sweep}
 * removes what lies under claims whose holders are gone.
 */
export class Files {
  readonly #parts: FilesParts
  readonly #process = new ProcessName()
  #blobs: Promise<BlobStore> | undefined
  #images: MadeImages | undefined
  /** Paths of assets whose deletions were under way, and until when each is waited for. */
  readonly #leaving = new Map<string, number>()
  #endListening: (() => void) | undefined
  #removing: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(parts: FilesParts) {
    this.#parts = parts
  }

  /** The store of the files, opened when it is first needed. */
  blobs(): Promise<BlobStore> {
    this.#blobs ??= this.#parts.openBlobs()
    this.#blobs.catch(() => {
      this.#blobs = undefined
    })
    return this.#blobs
  }

  /** Has the pictures of deleted files removed, too; without that, another process does so. */
  keepImages(images: MadeImages): void {
    this.#images = images
  }

  /**
   * Sees that a person has room for the files that a transaction has stored.
   *
   * @throws FORBIDDEN, PAYLOAD_TOO_LARGE with `details.limit`
   */
  async requireRoom(read: Reader, person: string): Promise<void> {
    const { quota } = this.#parts
    if (quota) await requireWithinQuota(read, this.#assets, person, quota)
  }

  /** What is known of a picture that has its path. */
  async describe(path: string, mimeType: string): Promise<ImageFacts | undefined> {
    return this.#images?.describe(path, mimeType)
  }

  /** A name under which this process may stage a file. */
  newName(): string {
    return this.#process.newName()
  }

  /**
   * Gives a staged file its path, and has its asset stored.
   *
   * @param commit stores the asset, and calls the function that it is given in the same transaction
   * @throws CONFLICT with `details.field` when the path is taken; what `commit` throws, and the file is gone then
   */
  async place<T>({ staged, path, headers }: FilePlacement, commit: (end: EndClaim) => Promise<T>): Promise<T> {
    const claim: FileClaim = { path, holder: this.newName() }
    const isLeft = await this.#claim(claim)
    const renewing = setInterval(() => void this.#renew(claim), RENEW_MS).unref()
    let isPublished = true
    try {
      isPublished = await this.#publish({ staged, path, headers }, isLeft)
      if (!isPublished) throw pathTaken(path)
      return await commit(async (writer) => {
        if (!(await writer.fileClaims.end(claim))) throw claimLost()
      })
    } catch (error) {
      if (!isPublished) await this.#parts.store.transaction((writer) => writer.fileClaims.end(claim))
      // Whether the file has its path, or the transaction was stored, may not be known: both stores are asked.
      else await this.#abandon(claim)
      throw error
    } finally {
      clearInterval(renewing)
    }
  }

  /** Removes the file of an asset whose deletion is under way, once that is stored. */
  removeSoon(path: string): void {
    if (this.#isClosed) return
    this.#leaving.set(path, Date.now() + MAX_DELETION_MS)
    this.#endListening ??= this.#parts.store.journal.onGrowth(() => this.#removeLeft())
  }

  /** Removes everything that no asset needs: what is left of uploads that broke off, and the files of deleted assets. */
  async sweep(): Promise<void> {
    const { store, log } = this.#parts
    const claims = await store.read.system.fileClaims()
    const gone = claims.filter(({ holder }) => this.#process.isGone(holder))
    if (gone.length > 0) await store.transaction((writer) => inTurn(gone, (claim) => writer.fileClaims.release(claim)))
    await this.#settle(claims.map(({ path }) => path))
    const staged = await this.#sweepStaged()
    if (claims.length + staged > 0) log.info({ paths: claims.length, staged }, 'files: swept')
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#endListening?.()
    await this.#removing
    await (await this.#blobs?.catch(() => undefined))?.close()
  }

  /** @returns whether something may lie there that is of no use */
  async #claim(claim: FileClaim): Promise<boolean> {
    const { store } = this.#parts
    for (const until = Date.now() + MAX_CLAIM_WAIT_MS; ; await sleep(CLAIM_WAIT_MS)) {
      const outcome = await store.transaction(async (writer) =>
        (await this.#hasAsset(writer.read, claim.path)) ? 'used' : writer.fileClaims.take(claim, CLAIM_MS),
      )
      // Another upload has it, or a sweep that is about to free it.
      const isWorthWaiting = outcome === 'taken' && Date.now() < until
      if (isWorthWaiting) continue
      if (outcome === 'used' || outcome === 'taken') throw pathTaken(claim.path)
      return outcome === 'left'
    }
  }

  /** @returns whether the file has its path now; a file that lies there, and is no asset's, stays */
  async #publish({ staged, path, headers }: FilePlacement, isLeft: boolean): Promise<boolean> {
    const blobs = await this.blobs()
    if (await blobs.publish(staged, path, headers)) return true
    if (!isLeft) return false
    await blobs.delete(path)
    return blobs.publish(staged, path, headers)
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
      await this.#settle([claim.path])
    } catch (err) {
      this.#parts.log.warn({ err }, 'files: what an upload left is removed by the next sweep')
    }
  }

  #removeLeft(): void {
    this.#removing = this.#removing
      .then(() => this.#removeDeleted())
      .catch((err) => this.#parts.log.warn({ err }, 'files: what deletions left is removed by the next sweep'))
  }

  async #removeDeleted(): Promise<void> {
    if (this.#leaving.size === 0 || this.#isClosed) return
    const claims = await this.#parts.store.read.system.fileClaims()
    const left = claims.map(({ path }) => path).filter((path) => this.#leaving.has(path))
    await this.#settle(left)
    for (const path of left) this.#leaving.delete(path)
    for (const [path, until] of this.#leaving) if (until < Date.now()) this.#leaving.delete(path)
    if (this.#leaving.size > 0) return
    this.#endListening?.()
    this.#endListening = undefined
  }

  /** Removes what lies under paths that nobody holds, unless an asset has it. */
  async #settle(paths: readonly string[]): Promise<void> {
    const own = this.#images ? paths : paths.filter((path) => !path.startsWith(IMAGES))
    for (let at = 0; at < own.length; at += SETTLED_AT_ONCE) {
      await this.#settleBatch(own.slice(at, at + SETTLED_AT_ONCE))
    }
  }

  async #settleBatch(paths: readonly string[]): Promise<void> {
    const { store } = this.#parts
    const holder = this.newName()
    const held: FileClaim[] = []
    const unused: string[] = []
    await store.transaction(async (writer) => {
      held.length = 0
      unused.length = 0
      await inTurn(paths, async (path) => {
        if ((await writer.fileClaims.take({ path, holder }, CLAIM_MS)) === 'taken') return
        held.push({ path, holder })
        if (!(await this.#hasAsset(writer.read, path))) unused.push(path)
      })
    })
    try {
      const limit = pLimit(REMOVED_AT_ONCE)
      await Promise.all(unused.map((path) => limit(() => this.#remove(path))))
    } catch (error) {
      // An upload need not wait for a store that has come back.
      await store.transaction((writer) => inTurn(held, (claim) => writer.fileClaims.release(claim)))
      throw error
    }
    await store.transaction((writer) => inTurn(held, async (claim) => void (await writer.fileClaims.end(claim))))
  }

  async #remove(path: string): Promise<void> {
    if (path.startsWith(IMAGES)) await this.#images?.forget(path.slice(IMAGES.length))
    else await (await this.blobs()).delete(path)
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
    const [field, value] = path.startsWith(IMAGES) ? ['sha256', path.slice(IMAGES.length)] : ['path', path]
    return (await read.entries.storedBy(this.#assets, field, value)) !== undefined
  }
}

/** The error of a path that another file has. */
export const pathTaken = (path: string): DaybookError =>
  new DaybookError('CONFLICT', `There is a file ${path}; choose another filename or directory.`, { field: 'filename' })

const claimLost = (): DaybookError =>
  new DaybookError('SERVICE_UNAVAILABLE', 'The upload took too long to be stored; send it again.')

async function inTurn<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (const item of items) await work(item)
}
