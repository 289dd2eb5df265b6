import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { ListPage } from '../../api/client.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useStudio } from '../../api/studio.ts'
import { useModel } from '../../model/use-model.ts'
import { type ListSearch, readListSearch } from '../list-search.ts'
import { useSubject } from '../list-view.ts'

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
  const person = useSubject()
  const own = useMemo(() => new PrivateViews(person, collection), [person, collection])
  const [kept, setKept] = useState(() => own.all())
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
      const view = own.add(name, search)
      setKept(own.all())
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
    own.remove(id)
    setKept(own.all())
  }
  return { all: [...kept, ...shared], canShare: (sharedViews?.permissions.create ?? false) !== false, save, remove }
}

/** A list with a name. */
export interface SavedView {
  readonly id: string
  readonly name: string
  readonly search: ListSearch
  /** Whether everybody who signs in has it. */
  readonly isShared: boolean
}

/** The views that a person keeps in this browser. */
class PrivateViews {
  readonly #name: string

  /** @param person the subject of who is signed in */
  constructor(person: string, collection: string) {
    this.#name = `daybook-studio:${person}:views:${collection}`
  }

  all(): readonly SavedView[] {
    return readViews(localStorage.getItem(this.#name))
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
    localStorage.setItem(this.#name, JSON.stringify(views))
  }
}

/** What was stored; what is no view, such as one of a later version, is left out. */
function readViews(text: string | null): readonly SavedView[] {
  if (text === null) return []
  try {
    const views: unknown = JSON.parse(text)
    return Array.isArray(views) ? views.flatMap((view) => parseView(view, false)) : []
  } catch {
    return []
  }
}

/** A view, as it was stored or answered; none where it is something else. */
function parseView(given: unknown, isShared: boolean): readonly SavedView[] {
  if (typeof given !== 'object' || given === null) return []
  const { id, name, search } = given as Readonly<Record<string, unknown>>
  if (typeof id !== 'string' || typeof name !== 'string' || typeof search !== 'object' || search === null) return []
  return [{ id, name, search: readListSearch(search as Readonly<Record<string, unknown>>), isShared }]
}
