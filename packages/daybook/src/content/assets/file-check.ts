import pLimit from 'p-limit'
import type { BlobStore } from '../../assets/blob-store.ts'
import { ASSETS } from '../../fields/asset.ts'
import type { Log } from '../../log.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { StoredEntry } from '../../store/rows.ts'
import type { ContentContext } from '../context.ts'
import type { Files } from './files.ts'
import { countStoredFiles } from './stored-files.ts'

/** The maximum number of assets with which the first check begins with the first asset. */
const SMALL_STORE = 100
const MAX_MISSING = 100
const MAX_CONCURRENT_CHECKS = 4

/** Looks for missing files of assets, one sample at a time, so that operators notice a loss before visitors do. */
export class FileCheck {
  readonly #context: ContentContext
  readonly #files: Files
  readonly #log: Log
  readonly #missing = new Set<string>()
  /** The `pk` after which the next sample begins. */
  #position: number | undefined
  #running: Promise<void> | undefined

  constructor(context: ContentContext, files: Files, log: Log) {
    this.#context = context
    this.#files = files
    this.#log = log
  }

  /** The number of missing files found so far, at most {@link MAX_MISSING}. */
  get missingCount(): number {
    return this.#missing.size
  }

  /** Returns true if files are known to be missing. The first call starts the first check, so as not to slow down the start. */
  hasMissing(): boolean {
    this.#running ??= this.run()
    return this.missingCount > 0
  }

  async close(): Promise<void> {
    await this.#running
  }

  /** Checks once; a failure is logged. */
  async run(): Promise<void> {
    await this.#check().catch((err) => this.#log.warn({ err }, 'files: the check failed'))
  }

  /** Checks the missing files again, and the files of the next assets, at most 128. */
  async #check(): Promise<void> {
    const assets = this.#context.model.collections.get(ASSETS)
    if (!assets) return
    const { read } = this.#context.store
    const paths = new Set([...this.#missing, ...(await this.#nextSample(assets, read))])
    if (paths.size === 0) return
    const blobs = await this.#files.blobs()
    const limit = pLimit(MAX_CONCURRENT_CHECKS)
    const before = this.#missing.size
    await Promise.all(
      [...paths].map((path) =>
        limit(async () => {
          const isMissing = await isFileMissing(path, assets, read, blobs)
          if (!isMissing) this.#missing.delete(path)
          else if (this.#missing.size < MAX_MISSING) this.#missing.add(path)
        }),
      ),
    )
    if (this.#missing.size > before) this.#log.warn({ paths: [...this.#missing].slice(0, 10) }, MISSING_MESSAGE)
    else if (before > 0 && this.#missing.size === 0) this.#log.info({}, 'files: the missing files are available again')
  }

  /** Returns the paths of the next batch of assets; after the last batch, of the first one. */
  async #nextSample(assets: CollectionModel, read: Reader): Promise<readonly string[]> {
    this.#position ??= await this.#firstPosition(read)
    const following = await read.entries.batchAfter(assets, this.#position)
    const sample = following.length > 0 ? following : await read.entries.batchAfter(assets, 0)
    this.#position = sample.at(-1)?.pk ?? 0
    return sample.map(getPath)
  }

  /** Returns a random start, so that several processes cover all assets sooner. */
  async #firstPosition(read: Reader): Promise<number> {
    const count = await countStoredFiles(this.#context.model, read)
    return count <= SMALL_STORE ? 0 : Math.floor(Math.random() * count)
  }
}

const MISSING_MESSAGE =
  'files: the files of some assets are missing. To restore them from a backup, run: daybook restore DIR --files-only'

const getPath = ({ doc }: StoredEntry): string => (JSON.parse(doc) as { readonly path: string }).path

/** Returns true if an asset has the path and no file does. Since a deletion removes the asset first, the asset is read last. */
async function isFileMissing(path: string, assets: CollectionModel, read: Reader, blobs: BlobStore): Promise<boolean> {
  if ((await blobs.size(path)) !== undefined) return false
  return (await read.entries.storedByValue(assets, 'path', path)) !== undefined
}
