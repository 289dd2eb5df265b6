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

/** Opens the form of the filter, and shows the number of conditions. */
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

/** The parts of the filter, each with a button to remove it. */
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
  const remove = (node: FilterNode): void =>
    change({ where: serializeWhere({ ...root, nodes: root.nodes.filter((other) => other !== node) }) })
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
              aria-label={t.lists.filter.removePart(text)}
              onClick={() => remove(node)}
            >
              <Icon name="close" />
            </button>
          </li>
        )
      })}
    </ul>
  )
}

/** The maximum number of entries whose titles are loaded; the others are shown by id. */
const MAX_TITLES = 50

/** Loads the titles of the entries in a filter, with one request for each collection. */
function useEntryTitles(
  node: FilterNode,
  fields: ReadonlyMap<string, ListField>,
  collections: ReadonlyMap<string, StudioCollection>,
): ReadonlyMap<string, string> {
  const { client } = useStudio()
  const batches = [...Map.groupBy(findReferences(node, fields), ({ to }) => to)].flatMap(([to, references]) => {
    const collection = collections.get(to)
    return collection ? [{ collection, ids: [...new Set(references.map(({ id }) => id))].slice(0, MAX_TITLES) }] : []
  })
  const results = useQueries({
    queries: batches.map(({ collection: { key, titleField }, ids }) => ({
      queryKey: [...queryKeys.lists(key), 'titles', ids],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
        const query = { where: { id: { in: ids } }, select: [titleField ?? 'id'], limit: ids.length }
        return (await client.collections[key]?.findMany(query as object, { signal })) as unknown as ListPage
      },
    })),
  })
  return new Map(
    batches.flatMap(({ collection }, index) =>
      (results[index]?.data?.items ?? []).flatMap((item) => {
        const title = getEntryTitle(collection, item)
        return title === undefined ? [] : [[item.id, title] as const]
      }),
    ),
  )
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function findReferences(
  node: FilterNode,
  fields: ReadonlyMap<string, ListField>,
): readonly { readonly to: string; readonly id: string }[] {
  if (node.kind === 'group') return node.nodes.flatMap((inner) => findReferences(inner, fields))
  if (node.kind === 'other') return []
  const to = fields.get(node.path)?.to ?? []
  const ids = [node.value ?? []].flat().filter((value) => typeof value === 'string' && UUID.test(value))
  return to.length === 1 && to[0] !== undefined ? ids.map((id) => ({ to: to[0] ?? '', id: String(id) })) : []
}
