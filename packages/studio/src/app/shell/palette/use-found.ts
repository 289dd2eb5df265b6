import { useQuery } from '@tanstack/react-query'
import { useTexts } from '../../messages/messages.tsx'
import { ASSETS } from '../../model/studio-model.ts'
import { useModel } from '../../model/use-model.ts'
import { useStudio } from '../../talk/studio.ts'
import { useSettled } from '../../ui/use-settled.ts'
import type { Place } from './place.ts'

/** How long after the last key entries are looked for, in milliseconds. */
const SEARCH_MS = 150
/** How many entries are offered. */
const OFFERED = 24

/** What was found of the words that were typed. */
export interface Found {
  readonly places: readonly Place[]
  readonly isSearching: boolean
}

/** Entries of any collection by their words; a request is given up as soon as something else is typed. */
export function useFound(text: string): Found {
  const { client } = useStudio()
  const { collections } = useModel()
  const { t } = useTexts()
  const words = useSettled(text.trim(), SEARCH_MS)
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
  return { places, isSearching: words !== text.trim() || isFetching }
}
