import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { getErrorText } from '../../api/error-texts.ts'
import type { ListPage } from '../../api/live-changes.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import { ASSETS, getEntryTitle, toLabel } from '../../model/studio-model.ts'
import { useModel } from '../../model/use-model.ts'
import { Button } from '../../ui/controls/button.tsx'
import styles from './details.module.css'

/** A place that refers to a file. */
interface Place {
  /** The key of a collection; of a global, its own. */
  readonly collection: string
  readonly id: string
  readonly field: string
}

/** How many places are asked for at once. */
const PAGE = 20

/** The documents that refer to a file, as far as the session may read them. */
export function AssetUsages({ id }: { readonly id: string }): ReactNode {
  const { client } = useStudio()
  const { t } = useTexts()
  const used = useInfiniteQuery({
    queryKey: [...queryKeys.entry(ASSETS, id), 'references'],
    queryFn: ({ pageParam, signal }) => client.assets.references(id, { limit: PAGE, offset: pageParam }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) => (pages.length * PAGE < total ? pages.length * PAGE : undefined),
  })
  const places: readonly Place[] = used.data?.pages.flatMap(({ items }) => items) ?? []
  const total = used.data?.pages[0]?.total ?? 0
  const titles = useTitles(places)
  return (
    <section className={styles.section}>
      <h2>{t.assets.usedIn}</h2>
      {used.error && <p role="alert">{getErrorText(used.error, t)}</p>}
      {used.isSuccess && <p className={styles.note}>{t.assets.usedCount(total)}</p>}
      <ul className={styles.places}>
        {places.map((place) => (
          <li key={`${place.collection} ${place.id} ${place.field}`}>
            <PlaceLink place={place} title={titles.get(place.id)} />
          </li>
        ))}
      </ul>
      {used.hasNextPage && (
        <div>
          <Button onPress={() => void used.fetchNextPage()} isPending={used.isFetchingNextPage}>
            {t.assets.more}
          </Button>
        </div>
      )}
    </section>
  )
}

function PlaceLink({ place, title }: { readonly place: Place; readonly title: string | undefined }): ReactNode {
  const { t } = useTexts()
  const { collections, globals } = useModel()
  const { collection: key, id, field } = place
  const collection = collections.get(key)
  const where = <span className={styles.note}>{`${collection?.label ?? toLabel(key)} · ${toLabel(field)}`}</span>
  if (collection) {
    return (
      <Link to="/c/$collection/$id" params={{ collection: key, id }} className={styles.place}>
        <span dir="auto">{title ?? t.lists.untitled}</span>
        {where}
      </Link>
    )
  }
  const global = globals.get(key === 'globals' ? id : key)
  if (!global) return where
  return (
    <Link to="/g/$global" params={{ global: global.key }} className={styles.place}>
      <span>{global.label}</span>
      {where}
    </Link>
  )
}

/** What the documents of places are called, by id: one request for each collection. */
function useTitles(places: readonly Place[]): ReadonlyMap<string, string> {
  const { client } = useStudio()
  const { collections } = useModel()
  const ids = new Map<string, Set<string>>()
  for (const { collection, id } of places) {
    if (collections.has(collection)) ids.set(collection, (ids.get(collection) ?? new Set()).add(id))
  }
  const answers = useQueries({
    queries: [...ids].map(([key, some]) => {
      const collection = collections.get(key)
      const named = [...some]
      return {
        queryKey: ['titles', key, named],
        queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
          const query = {
            where: { id: { in: named } },
            select: collection?.titleField === undefined ? ['id'] : [collection.titleField],
            limit: Math.min(named.length, collection?.maxLimit ?? named.length),
            ...(collection?.statusField ? { draft: true } : {}),
          }
          return (await client.collections[key]?.findMany(query as object, { signal })) as unknown as ListPage
        },
        select: ({ items }: ListPage) =>
          items.flatMap((item) => {
            const title = collection && getEntryTitle(collection, item)
            return title === undefined ? [] : [[item.id, title] as const]
          }),
      }
    }),
  })
  return new Map(answers.flatMap(({ data = [] }) => data))
}
