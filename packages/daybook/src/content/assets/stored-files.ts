import { ASSETS } from '../../fields/asset.ts'
import type { Model } from '../../model/model.ts'
import type { Reader } from '../../store/reads/reader.ts'

export interface StoredAssetFile {
  readonly path: string
  /** In hex. */
  readonly sha256: string
  readonly filename: string
  readonly originalName: string
  readonly mimeType: string
}

/** Reads the files of all assets in batches, or only of those that changed after a number of the journal. */
export async function* readStoredFiles(
  model: Model,
  read: Reader,
  since = 0,
): AsyncGenerator<readonly StoredAssetFile[], void> {
  const assets = model.collections.get(ASSETS)
  if (!assets || !(await read.system.storedCollections()).includes(ASSETS)) return
  for (let page = await read.entries.batchAfter(assets, 0); page.length > 0; ) {
    yield page.filter(({ seq }) => seq > since).map(({ doc }) => JSON.parse(doc) as StoredAssetFile)
    page = await read.entries.batchAfter(assets, page.at(-1)?.pk ?? 0)
  }
}

export async function countStoredFiles(model: Model, read: Reader): Promise<number> {
  if (!model.collections.has(ASSETS) || !(await read.system.storedCollections()).includes(ASSETS)) return 0
  const { counts } = await read.counters.of(ASSETS)
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
