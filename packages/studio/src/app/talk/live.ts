import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import type { ChangeListener } from './changes.ts'
import type { StudioClient } from './client.ts'
import { keys } from './keys.ts'

/** An item of a list, as it was answered. */
export interface ListItem {
  readonly id: string
  readonly [key: string]: unknown
}

/** A page of a list, as it was answered. */
export interface ListPage {
  readonly total: number
  readonly items: readonly ListItem[]
  readonly nextCursor: string | null
}

/** A change of an entry or a global, as the service tells it. */
export interface LiveChange {
  readonly action: 'upsert' | 'delete'
  readonly collection: string
  readonly id: string
  readonly data?: Readonly<Record<string, unknown>>
}

/** Brings what others change into what is kept of the service's answers, and passes it on, until the signal ends it. */
export async function followChanges(
  client: StudioClient,
  queries: QueryClient,
  announce: ChangeListener,
  signal: AbortSignal,
): Promise<void> {
  for await (const change of client.subscribe({ signal })) {
    applyChange(queries, change)
    announce(change)
  }
}

/** Brings one change into what is kept: rows that are shown change in their places, and no row moves. */
export function applyChange(queries: QueryClient, change: LiveChange): void {
  const { collection, id } = change
  if (collection === 'globals') return void queries.invalidateQueries({ queryKey: keys.global(id) })
  queries.setQueriesData<InfiniteData<ListPage>>(
    { queryKey: keys.lists(collection) },
    (list) => list && inList(list, change),
  )
  void queries.invalidateQueries({ queryKey: keys.lists(collection), refetchType: 'none' })
  void queries.invalidateQueries({ queryKey: keys.entry(collection, id) })
}

function inList(list: InfiniteData<ListPage>, change: LiveChange): InfiniteData<ListPage> {
  const isIn = list.pages.some(({ items }) => items.some(({ id }) => id === change.id))
  return isIn ? { ...list, pages: list.pages.map((page) => inPage(page, change)) } : list
}

function inPage(page: ListPage, { action, id, data = {} }: LiveChange): ListPage {
  if (action === 'delete') {
    return { ...page, total: Math.max(0, page.total - 1), items: page.items.filter((item) => item.id !== id) }
  }
  return { ...page, items: page.items.map((item) => (item.id === id ? changedItem(item, data) : item)) }
}

/** Only what was asked for is in a list. */
const changedItem = (item: ListItem, data: Readonly<Record<string, unknown>>): ListItem => ({
  ...Object.fromEntries(Object.entries(item).map(([key, value]) => [key, key in data ? data[key] : value])),
  id: item.id,
})
