import { type RefObject, useMemo, useRef } from 'react'
import type { StudioCollection } from '../model/studio-model.ts'
import { useModel } from '../model/use-model.ts'
import { useSession } from '../session/use-session.ts'
import { getListFields, type ListField } from './list-fields.ts'
import type { ListSearch } from './list-search.ts'
import { buildRowsQuery, type RowsQuery } from './rows-query.ts'

/** A list as its address says it. */
export interface ListView {
  readonly collection: StudioCollection
  readonly collections: ReadonlyMap<string, StudioCollection>
  readonly search: ListSearch
  /** All that lists know of an entry. */
  readonly fields: readonly ListField[]
  /** The columns behind the title. */
  readonly columns: readonly ListField[]
  readonly query: RowsQuery
  /** The columns that the person chose before. */
  readonly columnMemory: ColumnMemory
  /** Changes what the address says; `undefined` takes something out of it. */
  readonly change: (changes: Partial<ListSearch>) => void
  /** Reads the list anew, from its top. */
  readonly reload: () => void
  /** The path of the column whose head was pressed last. */
  readonly pressedHeader: RefObject<string | undefined>
}

/** What a list can do with its page. */
export type ListActions = Pick<ListView, 'change' | 'reload'>

/** Reads a list from its address, its model, and what the person chose before. */
export function useListView(
  collection: StudioCollection,
  search: ListSearch,
  { change, reload }: ListActions,
): ListView {
  const { collections } = useModel()
  const person = useSubject()
  const pressed = useRef<string | undefined>(undefined)
  return useMemo(() => {
    const fields = getListFields(collection)
    const memory = new ColumnMemory(person, collection.key)
    const text = search.columns ?? memory.get() ?? formatColumns(getDefaultColumns(collection))
    const columns = parseColumns(text, getColumnFields(fields, collection))
    const query = buildRowsQuery(collection, search, { fields, columns }, collections)
    return {
      collection,
      collections,
      search,
      fields,
      columns,
      query,
      columnMemory: memory,
      change,
      reload,
      pressedHeader: pressed,
    }
  }, [collection, collections, search, person, change, reload])
}

/** Under whose name this browser keeps what was chosen. */
export const useSubject = (): string => useSession().identity?.subject ?? ''

/** The most columns behind the title: a row of more is no row any more. */
export const MAX_COLUMNS = 12

/** The columns behind the title that a list has by itself. */
const getDefaultColumns = ({ statusField }: StudioCollection): readonly string[] =>
  [statusField, 'updatedAt'].filter((path) => path !== null)

/** Fields that can be a column, apart from the title. */
export const getColumnFields = (fields: readonly ListField[], { titleField }: StudioCollection): readonly ListField[] =>
  fields.filter(({ path, isShort }) => isShort && path !== titleField)

/**
 * The columns that an address names, in its order. Names that the model does not have, such as those of an older config, are left out.
 *
 * @param text paths by commas; `-` alone: no columns
 */
function parseColumns(text: string, fields: readonly ListField[]): readonly ListField[] {
  const named = new Set(text.split(','))
  const byPath = new Map(fields.map((field) => [field.path, field]))
  return [...named].flatMap((path) => byPath.get(path) ?? []).slice(0, MAX_COLUMNS)
}

/** Columns as an address names them. */
export const formatColumns = (paths: readonly string[]): string => (paths.length === 0 ? '-' : paths.join(','))

/** The columns that a person chose for each collection, in this browser. */
class ColumnMemory {
  readonly #name: string

  /** @param person the subject of who is signed in */
  constructor(person: string, collection: string) {
    this.#name = `daybook-studio:${person}:columns:${collection}`
  }

  /** As addresses name them; `undefined`: nothing was chosen. */
  get(): string | undefined {
    return localStorage.getItem(this.#name) ?? undefined
  }

  /** @param columns `undefined`: forgets what was chosen */
  set(columns: string | undefined): void {
    if (columns === undefined) localStorage.removeItem(this.#name)
    else localStorage.setItem(this.#name, columns)
  }
}
