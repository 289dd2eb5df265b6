import type { QueryClient } from '@tanstack/react-query'
import type { StudioClient } from './client.ts'
import { keys } from './keys.ts'
import type { Signal } from './signal.ts'

export type { ListItem, ListPage } from './list-page.ts'

/** A change of an entry or a global, as the service tells it. */
export interface LiveChange {
  readonly action: 'upsert' | 'delete'
  readonly collection: string
  readonly id: string
  /** What it is now; absent where it was deleted. */
  readonly data?: Readonly<Record<string, unknown>>
}

/** Brings what others change into what is kept of the service's answers, and tells it to the pages, until the signal ends it. */
export async function followChanges(
  client: StudioClient,
  queries: QueryClient,
  changes: Signal<LiveChange>,
  ending: AbortSignal,
): Promise<void> {
  for await (const change of client.subscribe({ signal: ending })) {
    forget(queries, change)
    changes.send(change)
  }
}

/** What is kept of a document that has changed is asked for anew when it is shown again. */
function forget(queries: QueryClient, { collection, id }: LiveChange): void {
  if (collection === 'globals') return void queries.invalidateQueries({ queryKey: keys.global(id) })
  // No row moves while somebody reads: a list itself decides what it asks for again.
  void queries.invalidateQueries({ queryKey: keys.lists(collection), refetchType: 'none' })
  for (const part of [keys.entry, keys.rights, keys.title, keys.glimpses])
    void queries.invalidateQueries({ queryKey: part(collection, id) })
}
