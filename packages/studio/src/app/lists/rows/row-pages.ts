import { DaybookError } from '@daybook/client'
import type { StudioClient } from '../../talk/client.ts'
import type { ListItem, ListPage } from '../../talk/list-page.ts'
import type { RowFilter, RowsQuery } from '../list-query.ts'

/** A page of rows, and which of them are gone since it was read: they keep their places. */
export interface RowPage extends ListPage {
  readonly gone?: readonly string[]
}

/** Where a page begins. */
export type PageStart = { readonly cursor: string } | { readonly offset: number } | Record<never, never>

/** The calls of one list. */
export class RowSource {
  readonly #client: StudioClient
  readonly #collection: string
  readonly #query: RowsQuery
  /** How many rows a page has. */
  readonly size: number

  constructor(client: StudioClient, collection: string, query: RowsQuery, size: number) {
    this.#client = client
    this.#collection = collection
    this.#query = query
    this.size = size
  }

  /** One page. */
  page(start: PageStart, signal: AbortSignal): Promise<RowPage> {
    return this.#find({ ...this.#query, ...start, limit: this.size }, signal)
  }

  /** Some rows as they are now; those that are gone are left out. */
  async rows(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, ListItem>> {
    const found = new Map<string, ListItem>()
    const { select, include, draft } = this.#query
    for (let at = 0; at < ids.length; at += this.size) {
      const some = ids.slice(at, at + this.size)
      const query = { select, include, draft, where: { id: { in: some } }, limit: some.length }
      for (const item of (await this.#find(query, signal)).items) found.set(item.id, item)
    }
    return found
  }

  /** How many entries match now. */
  async count(signal: AbortSignal): Promise<number> {
    const { q, status, where }: RowFilter = this.#query
    return (await this.#find({ q, status, where, limit: 0 }, signal)).total
  }

  async #find(query: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<RowPage> {
    try {
      return await this.#ask(query, signal)
    } catch (error) {
      // An answer expands only so many references: without their titles, the rows are there at least.
      const { include } = query
      const isTooMany = error instanceof DaybookError && error.status === 400 && Array.isArray(include)
      if (!isTooMany || include.length === 0) throw error
      const select = (query.select as readonly string[]).map((path) => path.split('.')[0])
      return this.#ask({ ...query, select: [...new Set(select)], include: [] }, signal)
    }
  }

  async #ask(query: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<RowPage> {
    // The columns come from the model, which types know nothing of.
    return (await this.#client.collections[this.#collection]?.findMany(query as object, {
      signal,
    })) as unknown as RowPage
  }
}
