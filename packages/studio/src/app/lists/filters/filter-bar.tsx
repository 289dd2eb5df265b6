import { useQueries } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import type { ListPage } from '../../api/client.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useStudio } from '../../api/studio.ts'
import { useTexts } from '../../messages/messages.tsx'
import { getEntryTitle, type StudioCollection } from '../../model/studio-model.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { ListField } from '../list-fields.ts'
import type { ListView } from '../list-view.ts'
import styles from './filter.module.css'
import { formatFilter, getFilterFields } from './filter-fields.ts'
import { countConditions, type FilterNode, parseWhere, serializeWhere } from './where-tree.ts'

const FilterBuilder = lazy(() => import('./filter-builder.tsx'))

/** Opens the form of the filter, and says how many conditions it has. */
export function FilterButton({ view }: { readonly view: ListView }): ReactNode {
  const { t } = useTexts()
  const [isOpen, setIsOpen] = useState(false)
  const count = countConditions(parseWhere(view.search.where))
  return (
    <>
      <Button icon="filter" onPress={() => setIsOpen(true)}>
        {count === 0 ? t.lists.filter.title : t.lists.filter.titleOf(count)}
      </Button>
      {isOpen && (
        <Suspense>
          <FilterBuilder view={view} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

/** The parts of the filter, each of which can be taken out. */
export function FilterChips({ view }: { readonly view: ListView }): ReactNode {
  const { t, formats } = useTexts()
  const { search, change, collections } = view
  const fields = useMemo(
    () => new Map(getFilterFields(view.fields, collections).map((field) => [field.path, field])),
    [view.fields, collections],
  )
  const root = parseWhere(search.where)
  const titles = useEntryTitles(root, fields, collections)
  if (root.nodes.length === 0) return null
  const without = (node: FilterNode): void =>
    change({ where: serializeWhere({ ...root, nodes: root.nodes.filter((one) => one !== node) }) })
  return (
    <ul className={styles.chips} aria-label={t.lists.filter.title}>
      {root.nodes.map((node, index) => {
        const text = formatFilter(node, { t, formats, fields, titles })
        return (
          <li key={`${index.toString()}`} className={styles.chip}>
            <bdi className={styles.chipText} title={text}>
              {text}
            </bdi>
            <button
              type="button"
              className={styles.takeOut}
              aria-label={t.lists.filter.takeOut(text)}
              onClick={() => without(node)}
            >
              <Icon name="close" />
            </button>
          </li>
        )
      })}
    </ul>
  )
}

/** The most entries that are named: a filter by more is said by their ids. */
const MAX_NAMED = 50

/** The titles of the entries that a filter compares with, with one request for each of their collections. */
function useEntryTitles(
  node: FilterNode,
  fields: ReadonlyMap<string, ListField>,
  collections: ReadonlyMap<string, StudioCollection>,
): ReadonlyMap<string, string> {
  const { client } = useStudio()
  const asked = [...Map.groupBy(referencesIn(node, fields), ({ to }) => to)].flatMap(([to, all]) => {
    const collection = collections.get(to)
    return collection ? [{ collection, ids: [...new Set(all.map(({ id }) => id))].slice(0, MAX_NAMED) }] : []
  })
  const answers = useQueries({
    queries: asked.map(({ collection: { key, titleField }, ids }) => ({
      queryKey: [...queryKeys.lists(key), 'titles', ids],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
        const query = { where: { id: { in: ids } }, select: [titleField ?? 'id'], limit: ids.length }
        return (await client.collections[key]?.findMany(query as object, { signal })) as unknown as ListPage
      },
    })),
  })
  return new Map(
    asked.flatMap(({ collection }, at) =>
      (answers[at]?.data?.items ?? []).flatMap((item) => {
        const title = getEntryTitle(collection, item)
        return title === undefined ? [] : [[item.id, title] as const]
      }),
    ),
  )
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function referencesIn(
  node: FilterNode,
  fields: ReadonlyMap<string, ListField>,
): readonly { readonly to: string; readonly id: string }[] {
  if (node.kind === 'group') return node.nodes.flatMap((inner) => referencesIn(inner, fields))
  if (node.kind === 'other') return []
  const to = fields.get(node.path)?.to ?? []
  const ids = [node.value ?? []].flat().filter((value) => typeof value === 'string' && UUID.test(value))
  return to.length === 1 && to[0] !== undefined ? ids.map((id) => ({ to: to[0] ?? '', id: String(id) })) : []
}
