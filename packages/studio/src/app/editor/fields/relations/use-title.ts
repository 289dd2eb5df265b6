import { useQuery } from '@tanstack/react-query'
import type { StudioClient } from '../../../api/client.ts'
import type { ListPage } from '../../../api/live-changes.ts'
import { queryKeys } from '../../../api/query-keys.ts'
import { useStudio } from '../../../api/studio.ts'
import { useTexts } from '../../../messages/messages.tsx'
import type { StudioCollection } from '../../../model/studio-model.ts'
import { useModel } from '../../../model/use-model.ts'
import { type Reference, TitleLoader } from './relation-targets.ts'

/** What a reference is shown as. */
export interface ShownTitle {
  /** Its title; while it is looked up, or where there is none, what says so. */
  readonly text: string
  readonly status: string | undefined
  /** Whether it can be opened. */
  readonly exists: boolean
}

/** The title of an entry that is referred to. */
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

/** What is asked of entries that are shown by their titles alone. */
export function buildTitleQuery({ titleField, statusField }: StudioCollection): object {
  const select = [titleField, statusField].filter((one) => one !== undefined && one !== null)
  return { select: select.length > 0 ? select : ['id'], ...(statusField === null ? {} : { draft: true }) }
}

/** The loader of a client. */
function getTitleLoader(client: StudioClient): TitleLoader {
  const known = loaders.get(client)
  if (known) return known
  const loader = new TitleLoader(async (collection, ids) => {
    const query = { ...buildTitleQuery(collection), where: { id: { in: ids } }, limit: ids.length }
    // The fields come from the model, which types know nothing of.
    const page = (await client.collections[collection.key]?.findMany(query as object)) as unknown as ListPage
    return page.items
  })
  loaders.set(client, loader)
  return loader
}

const loaders = new WeakMap<StudioClient, TitleLoader>()
