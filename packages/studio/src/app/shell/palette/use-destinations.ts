import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import { ASSETS } from '../../model/studio-model.ts'
import { useModel } from '../../model/use-model.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import type { Destination } from './destinations.ts'

/** Every page of the Studio, and what can be begun. */
export function useDestinations(): readonly Destination[] {
  const { t } = useTexts()
  const { collections, globals } = useModel()
  return useMemo(() => {
    const written = [...collections.values()].filter(({ key }) => key !== ASSETS)
    const made = written.filter(({ permissions }) => permissions.create !== false)
    return [
      { to: '/', label: t.shell.overview, kind: t.palette.page },
      ...(collections.has(ASSETS) ? [{ to: '/assets', label: t.assets.navigation, kind: t.palette.page }] : []),
      ...written.map(({ key, label }) => ({ to: `/c/${key}`, label, kind: t.palette.collection })),
      ...[...globals.values()].map(({ key, label }) => ({ to: `/g/${key}`, label, kind: t.palette.global })),
      ...made.map(({ key, label }) => ({
        to: `/c/${key}/new`,
        label: t.palette.createIn(label),
        kind: t.palette.action,
      })),
    ]
  }, [collections, globals, t])
}

/** How long after the last key entries are looked for, in milliseconds. */
const SEARCH_MS = 150
/** How many entries are offered. */
const OFFERED = 24

/** What was found of the words that were typed. */
interface FoundEntries {
  readonly destinations: readonly Destination[]
  readonly isSearching: boolean
}

/** Entries of any collection by their words; a request is given up as soon as something else is typed. */
export function useEntrySearch(text: string): FoundEntries {
  const { client } = useStudio()
  const { collections } = useModel()
  const { t } = useTexts()
  const words = useDebounced(text.trim(), SEARCH_MS)
  const { data, isFetching } = useQuery({
    queryKey: ['found', words],
    queryFn: ({ signal }) => client.search({ q: words, limit: OFFERED, signal }),
    enabled: words.length > 1,
  })
  const places = (data?.items ?? []).flatMap(({ collection: key, id, title }) => {
    const collection = collections.get(key)
    if (!collection) return []
    const kind = key === ASSETS ? t.assets.navigation : collection.label
    return [{ to: `/c/${key}/${id}`, label: title ?? id, kind }]
  })
  return { destinations: places, isSearching: words !== text.trim() || isFetching }
}
