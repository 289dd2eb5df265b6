import { type ListSearch, readListSearch } from '../list-search.ts'

/** A list with a name. */
export interface SavedView {
  readonly id: string
  readonly name: string
  readonly search: ListSearch
  /** Whether everybody who signs in has it. */
  readonly isShared: boolean
}

/** The views that a person keeps in this browser. */
export class PrivateViews {
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
    return Array.isArray(views) ? views.flatMap((view) => toView(view, false)) : []
  } catch {
    return []
  }
}

/** A view, as it was stored or answered; none where it is something else. */
export function toView(given: unknown, isShared: boolean): readonly SavedView[] {
  if (typeof given !== 'object' || given === null) return []
  const { id, name, search } = given as Readonly<Record<string, unknown>>
  if (typeof id !== 'string' || typeof name !== 'string' || typeof search !== 'object' || search === null) return []
  return [{ id, name, search: readListSearch(search as Readonly<Record<string, unknown>>), isShared }]
}
