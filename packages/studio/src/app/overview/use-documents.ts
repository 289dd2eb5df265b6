import { useQueries } from '@tanstack/react-query'
import { ASSETS, titleOf } from '../model/studio-model.ts'
import { useModel } from '../model/use-model.ts'
import type { ListPage } from '../talk/live.ts'
import { useStudio } from '../talk/studio.ts'
import type { LastChange } from './journal-tail.ts'

/** What a document is now. */
export interface PresentDocument {
  readonly title: string | undefined
}

/** How many entries of a collection are asked for. */
const AT_ONCE = 100

/** What the documents of changes are now, by their names: one request for each collection. One that is gone is absent. */
export function useDocuments(changes: readonly LastChange[]): ReadonlyMap<string, PresentDocument> {
  const { client } = useStudio()
  const { collections } = useModel()
  const ids = new Map<string, string[]>()
  for (const { collection, id } of changes) {
    if (collections.has(collection)) ids.set(collection, [...(ids.get(collection) ?? []), id].slice(0, AT_ONCE))
  }
  const answers = useQueries({
    queries: [...ids].map(([key, some]) => {
      const collection = collections.get(key)
      const hasStatus = collection?.statusField !== null
      const query = {
        where: { id: { in: some } },
        select: [collection?.titleField ?? 'id'],
        limit: Math.min(some.length, collection?.maxLimit ?? AT_ONCE),
        ...(hasStatus ? { draft: true } : {}),
      }
      return {
        // What changes is asked anew: the newest change is part of the name.
        queryKey: ['documents', key, query, changes.find((one) => one.collection === key)?.seq],
        queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
          (key === ASSETS
            ? await client.assets.list(query as object, { signal })
            : await client.collections[key]?.findMany(query as object, { signal })) as unknown as ListPage,
        placeholderData: (before: ListPage | undefined) => before,
        select: ({ items }: ListPage) =>
          items.map((item): readonly [string, PresentDocument] => [
            `${key} ${item.id}`,
            { title: collection && titleOf(collection, item) },
          ]),
      }
    }),
  })
  return new Map(answers.flatMap(({ data = [] }) => data))
}
