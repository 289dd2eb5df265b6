import type { ListOptions, ListResult } from '../index.ts'

/** The fields of an entry that were asked for, its `id` among them. */
export type ListedEntry = Readonly<Record<string, unknown>>

/** Where entries are listed, as readers without a session see them. */
export interface Lists {
  list(collection: string, query: ListOptions): Promise<ListResult<ListedEntry>>
}
