import { DaybookError, type JournalRecord, type ListedDraft, type ListedSchedule } from '@daybook/client'
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import type { DaybookConfig } from 'daybook'
import { useEffect } from 'react'
import type { ListPage } from '../api/live-changes.ts'
import { useStudio } from '../api/studio.ts'
import { ASSETS, getEntryTitle } from '../model/studio-model.ts'
import { useModel } from '../model/use-model.ts'
import { useSession } from '../session/use-session.ts'
import { continueTail, type JournalTail, type LastChange, readTail } from './journal-tail.ts'

export interface CurrentDocument {
  readonly title: string | undefined
}

const BATCH_SIZE = 100

/** Loads the changed documents with one request for each collection, by document key. Deleted documents are absent. */
export function useChangedDocuments(changes: readonly LastChange[]): ReadonlyMap<string, CurrentDocument> {
  const { client } = useStudio()
  const { collections } = useModel()
  const ids = new Map<string, string[]>()
  for (const { collection, id } of changes) {
    if (collections.has(collection)) ids.set(collection, [...(ids.get(collection) ?? []), id].slice(0, BATCH_SIZE))
  }
  const results = useQueries({
    queries: [...ids].map(([key, batch]) => {
      const collection = collections.get(key)
      const hasStatus = collection?.statusField !== null
      const query = {
        where: { id: { in: batch } },
        select: [collection?.titleField ?? 'id'],
        limit: Math.min(batch.length, collection?.maxLimit ?? BATCH_SIZE),
        ...(hasStatus ? { draft: true } : {}),
      }
      return {
        // The latest change is part of the key, so that a change loads the documents again.
        queryKey: ['documents', key, query, changes.find((change) => change.collection === key)?.seq],
        queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
          (key === ASSETS
            ? await client.assets.list(query as object, { signal })
            : await client.collections[key]?.findMany(query as object, { signal })) as unknown as ListPage,
        placeholderData: (previous: ListPage | undefined) => previous,
        select: ({ items }: ListPage) =>
          items.map((item): readonly [string, CurrentDocument] => [
            `${key} ${item.id}`,
            { title: collection && getEntryTitle(collection, item) },
          ]),
      }
    }),
  })
  return new Map(results.flatMap(({ data = [] }) => data))
}

const JOURNAL = ['journal']

/** The number of journal records to read. */
const RECENT = 500

/** Loads the newest journal records that the session may read; `undefined` until they are loaded. */
export function useJournal(): {
  readonly records: readonly JournalRecord[] | undefined
  readonly error: unknown
} {
  const { client } = useStudio()
  const queries = useQueryClient()
  const { data, error } = useQuery({
    queryKey: JOURNAL,
    queryFn: ({ signal }) => {
      const read = (query: { readonly since: number; readonly limit: number }) => client.journal({ ...query, signal })
      const tail = queries.getQueryData<JournalTail>(JOURNAL)
      return tail ? continueTail(read, tail, getFloor) : readTail(read, RECENT, getFloor)
    },
    staleTime: 0,
  })
  useRefreshOnChange(JOURNAL)
  return { records: data?.records, error }
}

const getFloor = (error: unknown): number | undefined => {
  const floor = error instanceof DaybookError && error.code === 'GONE' ? error.details.restart : undefined
  return typeof floor === 'number' ? floor : undefined
}

const DRAFTS = ['drafts']
const SCHEDULES = ['schedules']
const EMPTY: readonly never[] = []

/** Loads the unpublished drafts that the user saved last. */
export function useMyDrafts(limit: number): readonly ListedDraft<DaybookConfig>[] {
  const { client } = useStudio()
  const { identity } = useSession()
  const actor = identity?.subject ?? ''
  useRefreshOnChange(DRAFTS)
  const { data } = useQuery({
    queryKey: [...DRAFTS, actor],
    queryFn: ({ signal }) => client.drafts({ actor, limit, signal }),
    staleTime: 0,
  })
  return data?.items ?? EMPTY
}

/** Loads scheduled publications and unpublications, the next one first. */
export function useSchedules(limit: number): readonly ListedSchedule<DaybookConfig>[] {
  const { client } = useStudio()
  useRefreshOnChange(SCHEDULES)
  const { data } = useQuery({
    queryKey: SCHEDULES,
    queryFn: ({ signal }) => client.schedules({ limit, signal }),
    staleTime: 0,
  })
  return data?.items ?? EMPTY
}

/** Refreshes queries when content changes, without restarting requests that are under way. */
function useRefreshOnChange(queryKey: readonly string[]): void {
  const { changes } = useStudio()
  const queries = useQueryClient()
  useEffect(
    () => changes.subscribe(() => void queries.invalidateQueries({ queryKey }, { cancelRefetch: false })),
    [changes, queries, queryKey],
  )
}
