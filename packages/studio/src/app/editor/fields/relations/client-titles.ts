import type { StudioCollection } from '../../../model/studio-model.ts'
import type { StudioClient } from '../../../talk/client.ts'
import type { ListPage } from '../../../talk/live.ts'
import { TitleLoader } from './title-loader.ts'

/** What is asked of entries that are shown by their titles alone. */
export function titleQuery({ titleField, statusField }: StudioCollection): object {
  const select = [titleField, statusField].filter((one) => one !== undefined && one !== null)
  return { select: select.length > 0 ? select : ['id'], ...(statusField === null ? {} : { draft: true }) }
}

/** The loader of a client. */
export function titlesOf(client: StudioClient): TitleLoader {
  const known = loaders.get(client)
  if (known) return known
  const loader = new TitleLoader(async (collection, ids) => {
    const query = { ...titleQuery(collection), where: { id: { in: ids } }, limit: ids.length }
    // The fields come from the model, which types know nothing of.
    const page = (await client.collections[collection.key]?.findMany(query as object)) as unknown as ListPage
    return page.items
  })
  loaders.set(client, loader)
  return loader
}

const loaders = new WeakMap<StudioClient, TitleLoader>()
