import { useQuery } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { ListPage, StudioClient } from '../../api/client.ts'
import { useStudio } from '../../api/studio.ts'
import { getEntryTitle, type StudioCollection } from '../../model/studio-model.ts'
import { useModel } from '../../model/use-model.ts'
import { useSession } from '../../session/use-session.ts'

/** An entry that the user has opened. */
interface RecentEntry {
  readonly collection: string
  readonly id: string
}

/** The number of recent entries that are stored. */
const MAX_RECENT = 8

/** @param subject of the signed-in user */
const getStorageKey = (subject: string): string => `daybook-studio:${subject}:recent`

/** Lists the entries that a user opened last in this browser, the latest first. */
function listRecentEntries(subject: string): readonly RecentEntry[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(getStorageKey(subject)) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isRecentEntry) : []
  } catch {
    return []
  }
}

const isRecentEntry = (value: unknown): value is RecentEntry => {
  if (typeof value !== 'object' || value === null) return false
  const { collection, id } = value as Readonly<Record<string, unknown>>
  return typeof collection === 'string' && typeof id === 'string'
}

/** The paths of entries and files. */
const ENTRY_PATH = /\/(?:c\/(?<collection>[^/]+)|(?<files>assets))\/(?<id>[0-9a-f-]{36})$/

/** Stores each entry that the user opens. */
export function useRecentEntries(): void {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const subject = useSession().identity?.subject ?? ''
  useEffect(() => {
    const { collection, files, id } = ENTRY_PATH.exec(path)?.groups ?? {}
    const key = collection ?? files
    if (key === undefined || id === undefined) return
    const olderEntries = listRecentEntries(subject).filter((entry) => entry.id !== id)
    const entries = [{ collection: key, id }, ...olderEntries].slice(0, MAX_RECENT)
    localStorage.setItem(getStorageKey(subject), JSON.stringify(entries))
  }, [path, subject])
}

/** A recent entry with its present title. */
export interface TitledEntry extends RecentEntry {
  readonly title: string
}

/** Loads the titles of recent entries; those that are gone or no longer readable are left out. */
export function useTitledEntries(): readonly TitledEntry[] {
  const { client } = useStudio()
  const { collections } = useModel()
  const subject = useSession().identity?.subject ?? ''
  const { data = [] } = useQuery({
    queryKey: ['recent', subject],
    queryFn: () => loadTitles(client, collections, listRecentEntries(subject)),
    gcTime: 0,
  })
  return data
}

async function loadTitles(
  client: StudioClient,
  collections: ReadonlyMap<string, StudioCollection>,
  entries: readonly RecentEntry[],
): Promise<readonly TitledEntry[]> {
  const keys = [...new Set(entries.map(({ collection }) => collection))]
  const pages = await Promise.all(
    keys.map(async (key) => {
      const collection = collections.get(key)
      if (!collection) return []
      const ids = entries.flatMap((entry) => (entry.collection === key ? [entry.id] : []))
      const query = {
        where: { id: { in: ids } },
        select: [collection.titleField ?? 'id'],
        limit: ids.length,
        ...(collection.statusField === null ? {} : { draft: true }),
      }
      // The types do not know the fields, which come from the model.
      const page = (await client.collections[key]?.findMany(query as object)) as unknown as ListPage
      return page.items.map((item) => [item.id, getEntryTitle(collection, item) ?? item.id] as const)
    }),
  )
  const titles = new Map(pages.flat())
  return entries.flatMap((entry) => {
    const title = titles.get(entry.id)
    return title === undefined ? [] : [{ ...entry, title }]
  })
}
