import { type Client, DaybookError } from '@daybook/client'
import type { QueryClient } from '@tanstack/react-query'
import type { DaybookConfig } from 'daybook'
import type { Emitter } from './observable.ts'
import { queryKeys } from './query-keys.ts'

export type { ListItem, ListPage } from './client.ts'

export interface LiveChange {
  readonly action: 'upsert' | 'delete'
  readonly collection: string
  readonly id: string
  /** The current document; absent if it was deleted. */
  readonly data?: Readonly<Record<string, unknown>>
}

/**
 * Invalidates cached responses about changed documents, and emits the changes, until the signal is aborted. When the documents
 * visible to the session change, it invalidates every response.
 */
export async function followChanges(
  client: Pick<Client<DaybookConfig>, 'subscribe'>,
  queries: QueryClient,
  changes: Emitter<LiveChange>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const change of client.subscribe({ signal })) {
        invalidate(queries, change)
        changes.emit(change)
      }
    } catch (error) {
      if (!(error instanceof DaybookError && error.code === 'GONE')) throw error
      void queries.invalidateQueries()
    }
  }
}

/** Marks responses about a changed document as stale, to be fetched when they are shown next. */
function invalidate(queries: QueryClient, { collection, id }: LiveChange): void {
  if (collection === 'globals') return void queries.invalidateQueries({ queryKey: queryKeys.global(id) })
  // Rows must not move while somebody reads a list: the list itself decides when to reload.
  void queries.invalidateQueries({ queryKey: queryKeys.lists(collection), refetchType: 'none' })
  for (const part of [queryKeys.entry, queryKeys.rights, queryKeys.title, queryKeys.previewCards])
    void queries.invalidateQueries({ queryKey: part(collection, id) })
}
