import { useQueries } from '@tanstack/react-query'
import { useTexts } from '../../messages/messages.tsx'
import { ASSETS, type StudioCollection, titleOf } from '../../model/studio-model.ts'
import { keys } from '../../talk/keys.ts'
import type { ListPage } from '../../talk/list-page.ts'
import { useStudio } from '../../talk/studio.ts'
import { useSettled } from '../../ui/use-settled.ts'
import type { Place } from './place.ts'

/** How long after the last key entries are looked for, in milliseconds. */
const SEARCH_MS = 150
/** The most collections that are searched: the API searches one at a time. */
const MAX_COLLECTIONS = 8
/** How many entries of each collection are offered. */
const OFFERED = 4

/** What was found of the words that were typed. */
export interface Found {
  readonly places: readonly Place[]
  readonly isSearching: boolean
}

/**
 * Entries by their words, of several collections at once: a request for each, which is given up as soon as something else is typed.
 *
 * @param collections those to search, the most likely ones first
 */
export function useFound(collections: readonly StudioCollection[], text: string): Found {
  const { client } = useStudio()
  const { t } = useTexts()
  const words = useSettled(text.trim(), SEARCH_MS)
  const searched = words.length < 2 ? [] : collections.filter(({ searchable }) => searchable).slice(0, MAX_COLLECTIONS)
  const answers = useQueries({
    queries: searched.map(({ key, titleField }) => ({
      queryKey: [...keys.lists(key), 'found', words],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
        const query = { q: words, select: [titleField ?? 'id'], limit: OFFERED }
        return (await client.collections[key]?.findMany(query as object, { signal })) as unknown as ListPage
      },
    })),
  })
  const places = searched.flatMap((collection, at) =>
    (answers[at]?.data?.items ?? []).map((item) => ({
      to: `/c/${collection.key}/${item.id}`,
      label: titleOf(collection, item) ?? item.id,
      kind: collection.key === ASSETS ? t.assets.navigation : collection.label,
    })),
  )
  return { places, isSearching: words !== text.trim() || answers.some(({ isFetching }) => isFetching) }
}
