import { statSync } from 'node:fs'
import type { SourcePage } from './pages.ts'

/** The most pages of a batch. */
const MAX_PAGES = 16
/** A batch whose files are this large together takes no further page, in bytes. */
const ENOUGH_BYTES = 256 * 1024

/** Pages in batches, in the same order: few enough to hold all their texts, and enough to share a commit. */
export function* pageBatches(pages: Iterable<SourcePage>): Generator<readonly SourcePage[]> {
  let batch: SourcePage[] = []
  let bytes = 0
  for (const page of pages) {
    batch.push(page)
    bytes += sizeOf(page)
    if (batch.length < MAX_PAGES && bytes < ENOUGH_BYTES) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

const sizeOf = ({ files }: SourcePage): number =>
  files.reduce((sum, { path }) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0)
