import { useQuery } from '@tanstack/react-query'
import type { StudioClient } from '../../../api/client.ts'
import type { ListPage } from '../../../api/live-changes.ts'
import { queryKeys } from '../../../api/query-keys.ts'
import { useStudio } from '../../../api/studio.ts'
import { useTexts } from '../../../messages/messages.tsx'
import type { StudioCollection } from '../../../model/studio-model.ts'
import { useModel } from '../../../model/use-model.ts'
import { type Reference, TitleLoader } from './relation-targets.ts'

export interface ShownTitle {
  /** The title, or a text that says that it is loading or missing. */
  readonly text: string
  readonly status: string | undefined
  /** True if the target can be opened. */
  readonly exists: boolean
}

export function useTitle({ collection: key, id }: Reference): ShownTitle {
  const { t } = useTexts()
  const { client } = useStudio()
  const collection = useModel().collections.get(key)
  const { data, isPending, isError } = useQuery({
    queryKey: queryKeys.title(key, id),
    queryFn: () => (collection ? getTitleLoader(client).load(collection, id) : null),
  })
  if (isError) return { text: id, status: undefined, exists: true }
  if (isPending) return { text: '…', status: undefined, exists: false }
  if (data === null) return { text: t.fields.missingTarget, status: undefined, exists: false }
  return { text: data.title ?? t.lists.untitled, status: data.status, exists: true }
}

/** Builds the query for entries that are shown only by title. */
export function buildTitleQuery({ titleField, statusField }: StudioCollection): object {
  const select = [titleField, statusField].filter((key) => key !== undefined && key !== null)
  return { select: select.length > 0 ? select : ['id'], ...(statusField === null ? {} : { draft: true }) }
}

function getTitleLoader(client: StudioClient): TitleLoader {
  const cachedLoader = loaders.get(client)
  if (cachedLoader) return cachedLoader
  const loader = new TitleLoader(async (collection, ids) => {
    const query = { ...buildTitleQuery(collection), where: { id: { in: ids } }, limit: ids.length }
    // The types do not know the fields, which come from the model.
    const page = (await client.collections[collection.key]?.findMany(query as object)) as unknown as ListPage
    return page.items
  })
  loaders.set(client, loader)
  return loader
}

const loaders = new WeakMap<StudioClient, TitleLoader>()
