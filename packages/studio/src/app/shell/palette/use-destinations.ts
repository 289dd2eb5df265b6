import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import { ASSETS, getCreateText } from '../../model/studio-model.ts'
import { useModel } from '../../model/use-model.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import type { Destination } from './destinations.ts'

/** Returns the pages of the Studio and the actions that create entries. */
export function useDestinations(): readonly Destination[] {
  const { t } = useTexts()
  const { collections, globals } = useModel()
  return useMemo(() => {
    const content = [...collections.values()].filter(({ key }) => key !== ASSETS)
    const creatable = content.filter(({ permissions }) => permissions.create !== false)
    return [
      { to: '/', label: t.shell.overview, kind: t.palette.page },
      ...(collections.has(ASSETS) ? [{ to: '/assets', label: t.assets.navigation, kind: t.palette.page }] : []),
      ...content.map(({ key, label }) => ({ to: `/c/${key}`, label, kind: t.palette.collection })),
      ...[...globals.values()].map(({ key, label }) => ({ to: `/g/${key}`, label, kind: t.palette.global })),
      ...creatable.map((collection) => ({
        to: `/c/${collection.key}/new`,
        label: getCreateText(collection, t),
        kind: t.palette.action,
      })),
    ]
  }, [collections, globals, t])
}

/** The delay between the last key press and the search, in milliseconds. */
const SEARCH_MS = 150
/** The maximum number of entries that are offered. */
const MAX_ENTRIES = 24

interface FoundEntries {
  readonly destinations: readonly Destination[]
  readonly isSearching: boolean
}

/** Searches entries of all collections; further typing aborts the request. */
export function useEntrySearch(text: string): FoundEntries {
  const { client } = useStudio()
  const { collections } = useModel()
  const { t } = useTexts()
  const words = useDebounced(text.trim(), SEARCH_MS)
  const { data, isFetching } = useQuery({
    queryKey: ['found', words],
    queryFn: ({ signal }) => client.search({ q: words, limit: MAX_ENTRIES, signal }),
    enabled: words.length > 1,
  })
  const destinations = (data?.items ?? []).flatMap(({ collection: key, id, title }) => {
    const collection = collections.get(key)
    if (!collection) return []
    const kind = key === ASSETS ? t.assets.navigation : collection.label
    return [{ to: `/c/${key}/${id}`, label: title ?? id, kind }]
  })
  return { destinations, isSearching: words !== text.trim() || isFetching }
}
