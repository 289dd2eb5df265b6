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

/** What a document is now. */
export interface CurrentDocument {
  readonly title: string | undefined
}

/** How many entries of a collection are asked for. */
const AT_ONCE = 100

/** What the documents of changes are now, by their names: one request for each collection. One that is gone is absent. */
export function useChangedDocuments(changes: readonly LastChange[]): ReadonlyMap<string, CurrentDocument> {
  const { client } = useStudio()
  const { collections } = useModel()
  const ids = new Map<string, string[]>()
  for (const { collection, id } of changes) {
    if (collections.has(collection)) ids.set(collection, [...(ids.get(collection) ?? []), id].slice(0, AT_ONCE))
  }
  const answers = useQueries({
    queries: [...ids].map(([key, some]) => {
      const collection = collections.get(key)
      const hasStatus = collection?.statusField !== null
      const query = {
        where: { id: { in: some } },
        select: [collection?.titleField ?? 'id'],
        limit: Math.min(some.length, collection?.maxLimit ?? AT_ONCE),
        ...(hasStatus ? { draft: true } : {}),
      }
      return {
        // What changes is asked anew: the newest change is part of the name.
        queryKey: ['documents', key, query, changes.find((one) => one.collection === key)?.seq],
        queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
          (key === ASSETS
            ? await client.assets.list(query as object, { signal })
            : await client.collections[key]?.findMany(query as object, { signal })) as unknown as ListPage,
        placeholderData: (before: ListPage | undefined) => before,
        select: ({ items }: ListPage) =>
          items.map((item): readonly [string, CurrentDocument] => [
            `${key} ${item.id}`,
            { title: collection && getEntryTitle(collection, item) },
          ]),
      }
    }),
  })
  return new Map(answers.flatMap(({ data = [] }) => data))
}

const JOURNAL = ['journal']

/** How many of the newest changes are looked at. */
const RECENT = 500

/** The newest changes as far as the session may read them; `undefined`: not known yet. */
export function useJournal(): {
  readonly records: readonly JournalRecord[] | undefined
  readonly error: unknown
} {
  const { client, changes } = useStudio()
  const queries = useQueryClient()
  const { data, error } = useQuery({
    queryKey: JOURNAL,
    queryFn: ({ signal }) => {
      const read = (query: { readonly since: number; readonly limit: number }) => client.journal({ ...query, signal })
      const before = queries.getQueryData<JournalTail>(JOURNAL)
      return before ? continueTail(read, before, floorOf) : readTail(read, RECENT, floorOf)
    },
    staleTime: 0,
  })
  useEffect(
    // What is asked already is not asked anew with each of many changes.
    () => changes.subscribe(() => void queries.invalidateQueries({ queryKey: JOURNAL }, { cancelRefetch: false })),
    [changes, queries],
  )
  return { records: data?.records, error }
}

const floorOf = (error: unknown): number | undefined => {
  const floor = error instanceof DaybookError && error.code === 'GONE' ? error.details.restart : undefined
  return typeof floor === 'number' ? floor : undefined
}

const DRAFTS = 'drafts'
const SCHEDULES = 'schedules'
const NOTHING: readonly never[] = []

/** The entries whose working copies the person saved last. */
export function useMyDrafts(limit: number): readonly ListedDraft<DaybookConfig>[] {
  const { client } = useStudio()
  const { identity } = useSession()
  const actor = identity?.subject ?? ''
  useAskedAnew(DRAFTS)
  const { data } = useQuery({
    queryKey: [DRAFTS, actor],
    queryFn: ({ signal }) => client.drafts({ actor, limit, signal }),
    staleTime: 0,
  })
  return data?.items ?? NOTHING
}

/** What is to be published or unpublished, the soonest first. */
export function useSchedules(limit: number): readonly ListedSchedule<DaybookConfig>[] {
  const { client } = useStudio()
  useAskedAnew(SCHEDULES)
  const { data } = useQuery({
    queryKey: [SCHEDULES],
    queryFn: ({ signal }) => client.schedules({ limit, signal }),
    staleTime: 0,
  })
  return data?.items ?? NOTHING
}

/** Asks anew when something changes; what is asked already is not asked anew with each of many changes. */
function useAskedAnew(name: string): void {
  const { changes } = useStudio()
  const queries = useQueryClient()
  useEffect(
    () => changes.subscribe(() => void queries.invalidateQueries({ queryKey: [name] }, { cancelRefetch: false })),
    [changes, queries, name],
  )
}
