import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { getErrorText } from '../../api/error-texts.ts'
import type { ListPage } from '../../api/live-changes.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import { ASSETS, formatPath, getEntryTitle, toLabel } from '../../model/studio-model.ts'
import { useModel } from '../../model/use-model.ts'
import { Button } from '../../ui/controls/button.tsx'
import styles from './details.module.css'

/** A field that refers to a file. */
interface Usage {
  /** The key of the collection or of the global. */
  readonly collection: string
  readonly id: string
  readonly field: string
}

const PAGE = 20

/** The documents that refer to a file, if the user may read them. */
export function AssetUsages({ id }: { readonly id: string }): ReactNode {
  const { client } = useStudio()
  const { t } = useTexts()
  const query = useInfiniteQuery({
    queryKey: [...queryKeys.entry(ASSETS, id), 'references'],
    queryFn: ({ pageParam, signal }) => client.assets.references(id, { limit: PAGE, offset: pageParam }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) => (pages.length * PAGE < total ? pages.length * PAGE : undefined),
  })
  const usages: readonly Usage[] = query.data?.pages.flatMap(({ items }) => items) ?? []
  const total = query.data?.pages[0]?.total ?? 0
  const titles = useTitles(usages)
  return (
    <section className={styles.section}>
      <h2>{t.assets.usedIn}</h2>
      {query.error && <p role="alert">{getErrorText(query.error, t)}</p>}
      {query.isSuccess && <p className={styles.note}>{t.assets.usedCount(total)}</p>}
      <ul className={styles.places}>
        {usages.map((usage) => (
          <li key={`${usage.collection} ${usage.id} ${usage.field}`}>
            <UsageLink usage={usage} title={titles.get(usage.id)} />
          </li>
        ))}
      </ul>
      {query.hasNextPage && (
        <div>
          <Button onPress={() => void query.fetchNextPage()} isPending={query.isFetchingNextPage}>
            {t.assets.more}
          </Button>
        </div>
      )}
    </section>
  )
}

function UsageLink({ usage, title }: { readonly usage: Usage; readonly title: string | undefined }): ReactNode {
  const { t } = useTexts()
  const { collections, globals } = useModel()
  const { collection: key, id, field } = usage
  const collection = collections.get(key)
  const global = globals.get(key === 'globals' ? id : key)
  const fieldLabel = formatPath(field, (collection ?? global)?.fields)
  const location = <span className={styles.note}>{`${collection?.label ?? toLabel(key)} · ${fieldLabel}`}</span>
  if (collection) {
    return (
      <Link to="/c/$collection/$id" params={{ collection: key, id }} className={styles.place}>
        <span dir="auto">{title ?? t.lists.untitled}</span>
        {location}
      </Link>
    )
  }
  if (!global) return location
  return (
    <Link to="/g/$global" params={{ global: global.key }} className={styles.place}>
      <span>{global.label}</span>
      {location}
    </Link>
  )
}

/** Loads the titles of documents by id, with one request for each collection. */
function useTitles(usages: readonly Usage[]): ReadonlyMap<string, string> {
  const { client } = useStudio()
  const { collections } = useModel()
  const ids = new Map<string, Set<string>>()
  for (const { collection, id } of usages) {
    if (collections.has(collection)) ids.set(collection, (ids.get(collection) ?? new Set()).add(id))
  }
  const results = useQueries({
    queries: [...ids].map(([key, idSet]) => {
      const collection = collections.get(key)
      const idList = [...idSet]
      return {
        queryKey: ['titles', key, idList],
        queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
          const query = {
            where: { id: { in: idList } },
            select: collection?.titleField === undefined ? ['id'] : [collection.titleField],
            limit: Math.min(idList.length, collection?.maxLimit ?? idList.length),
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
  return new Map(results.flatMap(({ data = [] }) => data))
}
