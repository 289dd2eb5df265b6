import { type AssetSearch, readAssetSearch } from '../media/asset-search.ts'

/** What the address of the library says. */
export interface LibrarySearch extends AssetSearch {
  /** @default cards */
  readonly view?: 'list' | undefined
}

/** Reads what the address of the library says; what means nothing is left out. */
export const readLibrarySearch = (search: Readonly<Record<string, unknown>>): LibrarySearch => ({
  ...readAssetSearch(search),
  ...(search.view === 'list' ? { view: 'list' } : {}),
})
