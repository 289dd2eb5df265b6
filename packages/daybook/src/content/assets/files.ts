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

/** What is known of an image. */
export interface ImageMetadata {
  /** In pixels. */
  readonly width?: number | undefined
  readonly height?: number | undefined
  /** As a `data:` URL. */
  readonly placeholder?: string | undefined
}

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

/** A file that is to get a path. */
interface ClaimedPlacement {
  readonly path: string
  /** The number in the journal of the deletion for which the file is kept if its asset is not stored; 0: it is removed then. */
  readonly deletion: number
  /** Brings the file to the path. @returns the reason if it does not come there */
  bring(): Promise<DaybookError | undefined>
  /** The error when an asset or another upload has the path. */
  readonly refusal: DaybookError
}

/** Gives back what is behind a claim: called in the transaction that makes the path an asset's. */
export type EndClaim = (writer: Writer) => Promise<void>

/** Pictures that are made of files, by the digest of the file. */
export interface DerivedImages {
  /** What is known of a picture, by its path and its media type; `undefined`: it is none. */
  describe(path: string, mimeType: string): Promise<ImageMetadata | undefined>
  /** Removes all that are made of a file. */
  deleteVariants(sha256: string): Promise<void>
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
 * clears the paths of claims whose holders are gone; the bytes of deleted assets that can be restored go to a key that is not public.
 */
export class Files {
  /** The bytes of deleted assets. */
  readonly deleted: DeletedFiles
  readonly #parts: FilesParts
  readonly #process = new ProcessName()
  #blobs: Promise<BlobStore> | undefined
  #images: DerivedImages | undefined
  /** Paths of assets whose deletions were under way, and until when each is waited for. */
  readonly #leaving = new Map<string, number>()
  #endListening: (() => void) | undefined
  #removing: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(parts: FilesParts) {
    this.#parts = parts
    this.deleted = new DeletedFiles({ store: parts.store, assets: () => this.#assets, blobs: () => this.blobs() })
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
  attachImages(images: DerivedImages): void {
    this.#images = images
  }

  /**
   * Sees that a person has room for the files that a transaction has stored.
   *
   * @param isCaller true if that person is the caller
   * @throws FORBIDDEN, PAYLOAD_TOO_LARGE with `details.limit`
   */
  async requireQuota(read: Reader, person: string, isCaller = true): Promise<void> {
    const { quota } = this.#parts
    if (quota) await requireWithinQuota(read, this.#assets, person, isCaller, quota)
  }

  /** What is known of a picture that has its path. */
  async describe(path: string, mimeType: string): Promise<ImageMetadata | undefined> {
    return this.#images?.describe(path, mimeType)
  }

  /** A name under which this process may stage a file. */
  createName(): string {
    return this.#process.createName()
  }

  /**
   * Gives a staged file its path, and has its asset stored.
   *
   * @param commit stores the asset, and calls the function that it is given in the same transaction
   * @throws CONFLICT with `details.field` when the path is taken; what `commit` throws, and the file is gone then
   */
  async place<T>({ staged, path, headers }: FilePlacement, commit: (end: EndClaim) => Promise<T>): Promise<T> {
    const placement: ClaimedPlacement = {
      path,
      deletion: 0,
      bring: async () =>
        (await (await this.blobs()).publish(staged, path, headers)) ? undefined : pathTakenError(path),
      refusal: pathTakenError(path),
    }
    return this.#placeClaimed(placement, commit)
  }

  /**
   * Brings the file of a deleted asset back to its path, and has its asset stored. If that fails, the file is kept as before.
   *
   * @param commit as {@link place}
   * @throws NOT_FOUND when the bytes are gone; CONFLICT with `details.field` when the path is taken; what `commit` throws
   */
  async restore<T>(file: DeletedFile, commit: (end: EndClaim) => Promise<T>): Promise<T> {
    const { path, deletion } = file
    const bring = (): Promise<DaybookError | undefined> => this.deleted.moveBack(file)
    return this.#placeClaimed({ path, deletion, bring, refusal: pathTakenSinceError(path) }, commit)
  }

  async #placeClaimed<T>(
    { path, deletion, bring, refusal }: ClaimedPlacement,
    commit: (end: EndClaim) => Promise<T>,
  ): Promise<T> {
    const claim: FileClaim = { path, holder: this.createName() }
    const left = await this.#claim(claim, refusal)
    const renewing = setInterval(() => void this.#renew(claim), RENEW_MS).unref()
    let reason: DaybookError | undefined
    try {
      if (left !== undefined) await this.deleted.clearPath(path, left)
      if ((left ?? 0) !== deletion) await this.#expect(claim, deletion)
      reason = await bring()
      if (reason) throw reason
      return await commit(async (writer) => {
        if (!(await writer.fileClaims.end(claim))) throw claimLost()
      })
    } catch (error) {
      if (reason) await this.#parts.store.transaction((writer) => writer.fileClaims.end(claim))
      // Whether the file has its path, or the transaction was stored, may not be known: both stores are asked.
      else await this.#abandon(claim)
      throw error
    } finally {
      clearInterval(renewing)
    }
  }

  /** Clears the path of an asset whose deletion is under way, once that is stored. */
  clearAfterDeletion(path: string): void {
    if (this.#isClosed) return
    this.#leaving.set(path, Date.now() + MAX_DELETION_MS)
    this.#endListening ??= this.#parts.store.journal.onGrowth(() => this.#removeLeft())
  }

  /** Removes everything that no asset needs: the rest of uploads that broke off, and the files of assets that cannot be restored. */
  async sweep(): Promise<void> {
    const { store, log } = this.#parts
    const claims = await store.read.system.fileClaims()
    const gone = claims.filter(({ holder }) => this.#process.isGone(holder))
    if (gone.length > 0) await store.transaction((writer) => inTurn(gone, (claim) => writer.fileClaims.release(claim)))
    await this.#settle(claims.map(({ path }) => path))
    await this.deleted.purge()
    const staged = await this.#sweepStaged()
    if (claims.length + staged > 0) log.info({ paths: claims.length, staged }, 'files: swept')
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#endListening?.()
    await this.#removing
    await (await this.#blobs?.catch(() => undefined))?.close()
  }

  /** @returns the deletion whose bytes may lie there, or 0 for others; `undefined`: nothing of this service lies there */
  async #claim(claim: FileClaim, refusal: DaybookError): Promise<number | undefined> {
    const { store } = this.#parts
    for (const until = Date.now() + MAX_CLAIM_WAIT_MS; ; await sleep(CLAIM_WAIT_MS)) {
      const result = await store.transaction(async (writer) =>
        (await this.#hasAsset(writer.read, claim.path)) ? undefined : writer.fileClaims.take(claim, CLAIM_MS),
      )
      // Another upload has it, or a sweep that is about to free it.
      const isWorthWaiting = result?.state === 'taken' && Date.now() < until
      if (isWorthWaiting) continue
      if (!result || result.state === 'taken') throw refusal
      return result.state === 'left' ? result.deletion : undefined
    }
  }

  /** @throws SERVICE_UNAVAILABLE when the claim was lost: bytes that came to the path now could be those of nobody */
  async #expect(claim: FileClaim, deletion: number): Promise<void> {
    if (!(await this.#parts.store.transaction((writer) => writer.fileClaims.expectBytes(claim, deletion))))
      throw claimLost()
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

  /** Clears paths that nobody holds, unless an asset has them. */
  async #settle(paths: readonly string[]): Promise<void> {
    const own = this.#images ? paths : paths.filter((path) => !path.startsWith(IMAGE_VARIANTS_PREFIX))
    for (let at = 0; at < own.length; at += SETTLED_AT_ONCE) {
      await this.#settleBatch(own.slice(at, at + SETTLED_AT_ONCE))
    }
  }

  async #settleBatch(paths: readonly string[]): Promise<void> {
    const { store } = this.#parts
    const holder = this.createName()
    const held: FileClaim[] = []
    const unused: { readonly path: string; readonly deletion: number }[] = []
    await store.transaction(async (writer) => {
      held.length = 0
      unused.length = 0
      await inTurn(paths, async (path) => {
        const result = await writer.fileClaims.take({ path, holder }, CLAIM_MS)
        if (result.state === 'taken') return
        held.push({ path, holder })
        const deletion = result.state === 'left' ? result.deletion : 0
        if (!(await this.#hasAsset(writer.read, path))) unused.push({ path, deletion })
      })
    })
    try {
      const limit = pLimit(REMOVED_AT_ONCE)
      await Promise.all(unused.map(({ path, deletion }) => limit(() => this.#clear(path, deletion))))
    } catch (error) {
      // An upload need not wait for a store that has come back.
      await store.transaction((writer) => inTurn(held, (claim) => writer.fileClaims.release(claim)))
      throw error
    }
    await store.transaction((writer) => inTurn(held, async (claim) => void (await writer.fileClaims.end(claim))))
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

/** The error of a path that another file has. */
export const pathTakenError = (path: string): DaybookError =>
  new DaybookError('CONFLICT', `There is a file ${path}; choose another filename or directory.`, { field: 'filename' })

const claimLost = (): DaybookError =>
  new DaybookError('SERVICE_UNAVAILABLE', 'The file took too long to be stored; send the request again.')

async function inTurn<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (const item of items) await work(item)
}

/**
 * Sees that the files of one person are within their quota. Asked in the transaction that stores another one, so that uploads at
 * once do not get past it.
 *
 * @param isCaller true if that person is the caller
 * @throws FORBIDDEN with `details.limit` when there are too many; PAYLOAD_TOO_LARGE with `details.limit` when they have too many bytes
 */
async function requireWithinQuota(
  read: Reader,
  assets: CollectionModel,
  person: string,
  isCaller: boolean,
  { files = Number.POSITIVE_INFINITY, bytes = Number.POSITIVE_INFINITY }: AssetQuota,
): Promise<void> {
  const where = equals(FILTERABLE_AUTHOR_FIELDS.get('createdBy') as FilterableField, person)
  const sum = { kind: 'sum', name: 'sum:size', by: assets.filterableFields.get('size') as FilterableField } as const
  const size = { found: 1, visible: 1, all: 1 }
  const used = await read.lists.value(assets, sum, { where, statuses: undefined, search: undefined, size })
  if ((used?.count ?? 0) > files) {
    const message = isCaller
      ? `You have ${files} files, as many as you may; delete one first.`
      : `The uploader of this file has ${files} others, as many as the quota allows; delete one of those first.`
    throw new DaybookError('FORBIDDEN', message, { limit: files })
  }
  if (Number(used?.value ?? 0) > bytes) {
    const message = `${isCaller ? 'Your files' : 'The files of its uploader'} have at most ${bytes} bytes together, this one included; delete some first.`
    throw new DaybookError('PAYLOAD_TOO_LARGE', message, { limit: bytes })
  }
}
