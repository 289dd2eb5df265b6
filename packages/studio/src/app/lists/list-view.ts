import { type RefObject, useMemo, useRef } from 'react'
import type { StudioCollection } from '../model/studio-model.ts'
import { useModel } from '../model/use-model.ts'
import { useSession } from '../session/use-session.ts'
import { ColumnMemory } from './columns/column-memory.ts'
import { columnFields, readColumns, usualColumns, writeColumns } from './columns/columns.ts'
import { type ListField, listFields } from './list-fields.ts'
import { type RowsQuery, toRowsQuery } from './list-query.ts'
import type { ListSearch } from './list-search.ts'

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
  readonly memory: ColumnMemory
  /** Changes what the address says; `undefined` takes something out of it. */
  readonly change: (changes: Partial<ListSearch>) => void
  /** Reads the list anew, from its top. */
  readonly renew: () => void
  /** The path of the column whose head was pressed last. */
  readonly pressed: RefObject<string | undefined>
}

/** What a list can do with its page. */
export type ListMoves = Pick<ListView, 'change' | 'renew'>

/** Reads a list from its address, its model, and what the person chose before. */
export function useListView(collection: StudioCollection, search: ListSearch, { change, renew }: ListMoves): ListView {
  const { collections } = useModel()
  const person = usePerson()
  const pressed = useRef<string | undefined>(undefined)
  return useMemo(() => {
    const fields = listFields(collection)
    const memory = new ColumnMemory(person, collection.key)
    const text = search.columns ?? memory.get() ?? writeColumns(usualColumns(collection))
    const columns = readColumns(text, columnFields(fields, collection))
    const query = toRowsQuery(collection, search, { fields, columns }, collections)
    return { collection, collections, search, fields, columns, query, memory, change, renew, pressed }
  }, [collection, collections, search, person, change, renew])
}

/** Under whose name this browser keeps what was chosen. */
export const usePerson = (): string => useSession().identity?.subject ?? ''
