import { useQueries } from '@tanstack/react-query'
import { type StudioCollection, titleOf } from '../../model/studio-model.ts'
import { keys } from '../../talk/keys.ts'
import type { ListPage } from '../../talk/list-page.ts'
import { useStudio } from '../../talk/studio.ts'
import type { ListField } from '../list-fields.ts'
import type { FilterNode } from './where-tree.ts'

/** The most entries that are named: a filter by more is said by their ids. */
const MAX_NAMED = 50

/** The titles of the entries that a filter compares with, with one request for each of their collections. */
export function useTitles(
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
      queryKey: [...keys.lists(key), 'titles', ids],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
        const query = { where: { id: { in: ids } }, select: [titleField ?? 'id'], limit: ids.length }
        return (await client.collections[key]?.findMany(query as object, { signal })) as unknown as ListPage
      },
    })),
  })
  return new Map(
    asked.flatMap(({ collection }, at) =>
      (answers[at]?.data?.items ?? []).flatMap((item) => {
        const title = titleOf(collection, item)
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
  if (node.kind === 'group') return node.of.flatMap((inner) => referencesIn(inner, fields))
  if (node.kind === 'other') return []
  const to = fields.get(node.path)?.to ?? []
  const ids = [node.value ?? []].flat().filter((value) => typeof value === 'string' && UUID.test(value))
  return to.length === 1 && to[0] !== undefined ? ids.map((id) => ({ to: to[0] ?? '', id: String(id) })) : []
}
