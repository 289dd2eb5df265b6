import type { CollectionState, ListedCollection } from './listed-collection.ts'
import type { EntryRun } from './pages.ts'

/** The largest file that the protocol allows, in bytes. */
const MAX_BYTES = 50 * 1024 * 1024
/** The longest address that the protocol allows, escaped, in bytes. */
export const MAX_ADDRESS = 2047
/** The elements around an address, and around that of a translation, at most, in bytes. */
const [AROUND_URL, AROUND_LINK] = [150, 100]

/** A file of a collection's sitemap. */
export interface SitemapFile extends EntryRun {
  /** Such as `posts-1`. */
  readonly name: string
  readonly collection: ListedCollection
}

/** The files of a sitemap. */
export interface SitemapPlan {
  readonly files: readonly SitemapFile[]
  /** Whether all of them, and pages that are no entries, fit into one. */
  readonly isOne: boolean
}

/**
 * Divides collections into files that keep the limits of the protocol, however long addresses are.
 *
 * @param pages how many pages there are that are no entries
 */
export function planFiles(
  collections: readonly (readonly [ListedCollection, Pick<CollectionState, 'totals'>])[],
  pages: number,
  maxUrls: number,
): SitemapPlan {
  const shares = collections.flatMap(([{ templates }, { totals }]) =>
    totals.map((total) => total / capacityOf(templates.length, maxUrls)),
  )
  return {
    files: collections.flatMap(([collection, { totals }]) => filesOf(collection, totals, maxUrls)),
    isOne: shares.reduce((sum, share) => sum + share, pages / capacityOf(1, maxUrls)) <= 1,
  }
}

function filesOf(collection: ListedCollection, totals: readonly number[], maxUrls: number): readonly SitemapFile[] {
  const { key, templates } = collection
  const count = capacityOf(templates.length, maxUrls)
  const runs = templates.flatMap((template, at) =>
    Array.from({ length: Math.ceil((totals[at] ?? 0) / count) }, (_file, index) => ({
      template,
      offset: index * count,
      count,
    })),
  )
  return runs.map((run, index) => ({ name: `${key}-${index + 1}`, collection, ...run }))
}

/** The number of pages that fit into a file if each page lists the given number of locales. */
function capacityOf(locales: number, maxUrls: number): number {
  const links = locales > 1 ? locales * (MAX_ADDRESS + AROUND_LINK) : 0
  const bytes = MAX_ADDRESS + AROUND_URL + links
  return Math.max(1, Math.floor(Math.min(maxUrls, MAX_BYTES / bytes)))
}
