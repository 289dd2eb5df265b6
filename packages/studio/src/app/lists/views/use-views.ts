import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useModel } from '../../model/use-model.ts'
import { keys } from '../../talk/keys.ts'
import type { ListPage } from '../../talk/list-page.ts'
import { useStudio } from '../../talk/studio.ts'
import type { ListSearch } from '../list-search.ts'
import { usePerson } from '../list-view.ts'
import { PrivateViews, type SavedView, toView } from './saved-view.ts'

/** The views of a list. */
export interface Views {
  readonly all: readonly SavedView[]
  /** Whether this person may share one. */
  readonly canShare: boolean
  readonly save: (view: Pick<SavedView, 'name' | 'isShared'>, search: ListSearch) => Promise<SavedView>
  readonly remove: (view: SavedView) => Promise<void>
}

/** The most shared views of a list that are offered. */
const MAX_VIEWS = 100

/** The views of a list that this person has: those of this browser, and those that people share where the config has them. */
export function useViews(collection: string): Views {
  const { client } = useStudio()
  const { sharedViews } = useModel()
  const queries = useQueryClient()
  const person = usePerson()
  const own = useMemo(() => new PrivateViews(person, collection), [person, collection])
  const [kept, setKept] = useState(() => own.all())
  const key = sharedViews?.key ?? ''
  const queryKey = [...keys.lists(key), collection]
  const { data } = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const query = { where: { collection: { eq: collection } }, sort: 'name', limit: MAX_VIEWS }
      return (await client.collections[key]?.findMany(query as object, { signal })) as unknown as ListPage
    },
    enabled: sharedViews !== undefined,
  })
  const shared = data?.items.flatMap((item) => toView(item, true)) ?? []
  const save: Views['save'] = async ({ name, isShared }, search) => {
    if (!isShared) {
      const view = own.add(name, search)
      setKept(own.all())
      return view
    }
    const stored: unknown = await client.collections[key]?.create({ name, collection, search } as never)
    await queries.invalidateQueries({ queryKey })
    const [view] = toView(stored, true)
    if (!view) throw new Error('the service stored something else than a view')
    return view
  }
  const remove: Views['remove'] = async ({ id, isShared }) => {
    if (isShared) {
      await client.collections[key]?.delete(id)
      return queries.invalidateQueries({ queryKey })
    }
    own.remove(id)
    setKept(own.all())
  }
  return { all: [...kept, ...shared], canShare: (sharedViews?.permissions.create ?? false) !== false, save, remove }
}
