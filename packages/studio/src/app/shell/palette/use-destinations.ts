import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { StudioClient } from '../../api/client.ts'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import { ASSETS, getCreateText, type StudioCollection } from '../../model/studio-model.ts'
import { useModel } from '../../model/use-model.ts'
import { useAdministrationPages } from '../../session/use-administration.ts'
import { listPageActions } from '../../ui/page-actions.tsx'
import { SHORTCUTS } from '../../ui/shortcuts.ts'
import { useDebounced } from '../../ui/use-debounced.ts'
import { type Destination, readTitle } from './destinations.ts'
import { rateMatch, splitWords } from './fuzzy.ts'
import { useTitledEntries } from './recent-entries.ts'

/** Returns the actions of the page, the recent entries and the pages of the Studio. */
export function useDestinations(): readonly Destination[] {
  const { t } = useTexts()
  const { collections, globals } = useModel()
  const administration = useAdministrationPages()
  const recent = useTitledEntries()
  // The actions of the page when the palette opened.
  const [actions] = useState(listPageActions)
  return useMemo(() => {
    const content = [...collections.values()].filter(({ key }) => key !== ASSETS)
    const page = (to: string, label: string, kind: string): Destination => ({
      group: 'pages',
      id: to,
      label,
      kind,
      target: to,
      ...(to === '/' ? { presses: SHORTCUTS.anywhere.overview } : {}),
    })
    return [
      ...actions.map(
        ({ label, run }): Destination => ({
          group: 'actions',
          id: `action ${label}`,
          label: label.replace(/ …$/, ''),
          kind: t.palette.action,
          target: run,
        }),
      ),
      ...recent.flatMap(({ collection: key, id, title }) => {
        const collection = collections.get(key)
        return collection ? [toEntryDestination(collection, id, title, 'recent')] : []
      }),
      page('/', t.shell.overview, t.palette.page),
      ...(collections.has(ASSETS) ? [page('/assets', t.assets.navigation, t.palette.page)] : []),
      ...content.map(({ key, label }) => page(`/c/${key}`, label, t.palette.collection)),
      ...[...globals.values()].map(({ key, label }) => page(`/g/${key}`, label, t.palette.global)),
      ...administration.map(({ to, label }) => page(to, label, t.administration.title)),
      page('/profile', t.administration.profile, t.palette.page),
      ...content
        .filter(({ permissions }) => permissions.restore !== false)
        .map(({ key, label }) => page(`/c/${key}/trash`, t.palette.trashOf(label), t.palette.page)),
    ]
  }, [collections, globals, administration, recent, actions, t])
}

const toEntryDestination = (
  { key, label }: StudioCollection,
  id: string,
  title: string,
  group: 'recent' | 'entries',
): Destination => ({ group, id: `${key}/${id}`, label: title, kind: label, target: `/c/${key}/${id}` })

/** The maximum number of collections in which a typed title is offered. */
const MAX_TITLED = 4

/** Returns the actions that create an entry, with the typed text as its title. */
export function useCreations(text: string): readonly Destination[] {
  const { t } = useTexts()
  const { collections } = useModel()
  const creatable = [...collections.values()].filter(
    ({ key, permissions }) => key !== ASSETS && permissions.create !== false,
  )
  const creations = creatable.map((collection) => ({ collection, label: getCreateText(collection, t) }))
  const plain = creations.map(({ collection, label }): Destination => toCreation(collection, label, label))
  if (text.trim() === '') return plain
  const words = splitWords(text)
  const named = plain.filter(({ label }) => rateMatch(label, words) !== undefined)
  const titled = creations.flatMap(({ collection, label }) => {
    const title = readTitle(text, label)
    return title === undefined ? [] : [{ collection, label, title }]
  })
  if (named.length > 0) return named
  const offered =
    titled.length > 0 ? titled : creations.slice(0, MAX_TITLED).map((creation) => ({ ...creation, title: text.trim() }))
  return offered
    .filter(({ collection }) => collection.titleField !== undefined)
    .map(({ collection, label, title }) => toCreation(collection, label, t.palette.createTitled(label, title), title))
}

const toCreation = ({ key }: StudioCollection, kind: string, label: string, title?: string): Destination => ({
  group: 'create',
  id: `new ${key}`,
  label,
  kind: label === kind ? '' : kind,
  target: `/c/${key}/new${title === undefined ? '' : `?title=${encodeURIComponent(title)}`}`,
})

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
  const words = useDebounced(text.trim(), SEARCH_MS)
  const { data, isFetching } = useQuery({
    queryKey: ['found', words],
    queryFn: ({ signal }) => searchEntries(client, words, signal),
    enabled: words.length > 1,
  })
  const destinations = (data ?? []).flatMap(({ collection: key, id, title }) => {
    const collection = collections.get(key)
    return collection ? [toEntryDestination(collection, id, title ?? id, 'entries')] : []
  })
  return { destinations, isSearching: words !== text.trim() || isFetching }
}

/** The letters of a word that are taken to be right if nothing is found, and the number of entries that begin with them to compare. */
const SURE_LETTERS = 3
const MAX_NEARBY = 100

/** Searches for words; if there are none, for titles that differ by typos. */
async function searchEntries(client: StudioClient, q: string, signal: AbortSignal) {
  const { items } = await client.search({ q, limit: MAX_ENTRIES, signal })
  const words = splitWords(q)
  const longest = words.toSorted((a, b) => b.length - a.length)[0] ?? ''
  if (items.length > 0 || longest.length <= SURE_LETTERS) return items
  const nearby = await client.search({ q: longest.slice(0, SURE_LETTERS), limit: MAX_NEARBY, signal })
  return nearby.items.filter(({ title }) => title && rateMatch(title, words) !== undefined).slice(0, MAX_ENTRIES)
}
