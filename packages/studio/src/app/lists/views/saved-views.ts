import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { ListPage } from '../../api/client.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useStudio } from '../../api/studio.ts'
import { useModel } from '../../model/use-model.ts'
import { type ListSearch, readListSearch } from '../list-search.ts'
import { useSubject } from '../list-view.ts'

/** The saved views of a list, and the ways to change them. */
export interface Views {
  readonly all: readonly SavedView[]
  readonly canShare: boolean
  readonly save: (view: Pick<SavedView, 'name' | 'isShared'>, search: ListSearch) => Promise<SavedView>
  readonly remove: (view: SavedView) => Promise<void>
}

/** The maximum number of shared views of a list. */
const MAX_VIEWS = 100

/** Loads the saved views of a list: private ones of this browser, and shared ones if the config has them. */
export function useViews(collection: string): Views {
  const { client } = useStudio()
  const { sharedViews } = useModel()
  const queries = useQueryClient()
  const subject = useSubject()
  const privateViews = useMemo(() => new PrivateViews(subject, collection), [subject, collection])
  const [views, setViews] = useState(() => privateViews.all())
  const key = sharedViews?.key ?? ''
  const queryKey = [...queryKeys.lists(key), collection]
  const { data } = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const query = { where: { collection: { eq: collection } }, sort: 'name', limit: MAX_VIEWS }
      return (await client.collections[key]?.findMany(query as object, { signal })) as unknown as ListPage
    },
    enabled: sharedViews !== undefined,
  })
  const shared = data?.items.flatMap((item) => parseView(item, true)) ?? []
  const save: Views['save'] = async ({ name, isShared }, search) => {
    if (!isShared) {
      const view = privateViews.add(name, search)
      setViews(privateViews.all())
      return view
    }
    const stored: unknown = await client.collections[key]?.create({ name, collection, search } as never)
    await queries.invalidateQueries({ queryKey })
    const [view] = parseView(stored, true)
    if (!view) throw new Error('the service stored something else than a view')
    return view
  }
  const remove: Views['remove'] = async ({ id, isShared }) => {
    if (isShared) {
      await client.collections[key]?.delete(id)
      return queries.invalidateQueries({ queryKey })
    }
    privateViews.remove(id)
    setViews(privateViews.all())
  }
  return { all: [...views, ...shared], canShare: (sharedViews?.permissions.create ?? false) !== false, save, remove }
}

export interface SavedView {
  readonly id: string
  readonly name: string
  readonly search: ListSearch
  /** True if all signed-in users have it. */
  readonly isShared: boolean
}

/** Stores private views in this browser. */
class PrivateViews {
  readonly #storageKey: string

  /** @param subject of the signed-in user */
  constructor(subject: string, collection: string) {
    this.#storageKey = `daybook-studio:${subject}:views:${collection}`
  }

  all(): readonly SavedView[] {
    return readViews(localStorage.getItem(this.#storageKey))
  }

  add(name: string, search: ListSearch): SavedView {
    const view = { id: crypto.randomUUID(), name, search, isShared: false }
    this.#store([...this.all(), view])
    return view
  }

  remove(id: string): void {
    this.#store(this.all().filter((view) => view.id !== id))
  }

  #store(views: readonly SavedView[]): void {
    localStorage.setItem(this.#storageKey, JSON.stringify(views))
  }
}

/** Parses stored views, without invalid ones, such as those of a later version. */
function readViews(text: string | null): readonly SavedView[] {
  if (text === null) return []
  try {
    const views: unknown = JSON.parse(text)
    return Array.isArray(views) ? views.flatMap((view) => parseView(view, false)) : []
  } catch {
    return []
  }
}

/** Parses a stored view or one in a response; empty if it is invalid. */
function parseView(stored: unknown, isShared: boolean): readonly SavedView[] {
  if (typeof stored !== 'object' || stored === null) return []
  const { id, name, search } = stored as Readonly<Record<string, unknown>>
  if (typeof id !== 'string' || typeof name !== 'string' || typeof search !== 'object' || search === null) return []
  return [{ id, name, search: readListSearch(search as Readonly<Record<string, unknown>>), isShared }]
}
