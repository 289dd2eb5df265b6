import { type Client, DaybookError } from '@daybook/client'
import type { QueryClient } from '@tanstack/react-query'
import type { DaybookConfig } from 'daybook'
import type { Emitter } from './observable.ts'
import { queryKeys } from './query-keys.ts'

export type { ListItem, ListPage } from './client.ts'

/** A change of an entry or a global. */
export interface LiveChange {
  readonly action: 'upsert' | 'delete'
  readonly collection: string
  readonly id: string
  /** The document as it is now; absent where it was deleted. */
  readonly data?: Readonly<Record<string, unknown>>
}

/**
 * Invalidates cached responses about documents that change, and sends the changes to the pages, until the signal ends it. When
 * this session sees other documents than before, every response is invalidated.
 */
export async function followChanges(
  client: Pick<Client<DaybookConfig>, 'subscribe'>,
  queries: QueryClient,
  changes: Emitter<LiveChange>,
  ending: AbortSignal,
): Promise<void> {
  while (!ending.aborted) {
    try {
      for await (const change of client.subscribe({ signal: ending })) {
        invalidate(queries, change)
        changes.emit(change)
      }
    } catch (error) {
      if (!(error instanceof DaybookError && error.code === 'GONE')) throw error
      void queries.invalidateQueries()
    }
  }
}

/** A response about a changed document is requested again when it is shown the next time. */
function invalidate(queries: QueryClient, { collection, id }: LiveChange): void {
  if (collection === 'globals') return void queries.invalidateQueries({ queryKey: queryKeys.global(id) })
  // No row moves while the list is being read: a list decides itself when it loads again.
  void queries.invalidateQueries({ queryKey: queryKeys.lists(collection), refetchType: 'none' })
  for (const part of [queryKeys.entry, queryKeys.rights, queryKeys.title, queryKeys.previewCards])
    void queries.invalidateQueries({ queryKey: part(collection, id) })
}
