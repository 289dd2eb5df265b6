import { type RefObject, useMemo, useRef } from 'react'
import type { StudioCollection } from '../model/studio-model.ts'
import { useModel } from '../model/use-model.ts'
import { useSession } from '../session/use-session.ts'
import { findThumbnailField, getListFields, type ListField } from './list-fields.ts'
import type { ListSearch } from './list-search.ts'
import { buildRowsQuery, type RowsQuery } from './rows-query.ts'

/** The state of a list, derived from its URL, the model and the user's choices. */
export interface ListView {
  readonly collection: StudioCollection
  readonly collections: ReadonlyMap<string, StudioCollection>
  readonly search: ListSearch
  readonly fields: readonly ListField[]
  /** The columns after the title. */
  readonly columns: readonly ListField[]
  readonly query: RowsQuery
  readonly columnMemory: ColumnMemory
  /** The subject of the user, under which choices are stored in this browser. */
  readonly subject: string
  /** The key of the file field whose file is shown in rows; `undefined` if there is none. */
  readonly thumbnailField: string | undefined
  /** Changes parameters of the URL; `undefined` removes one. */
  readonly change: (changes: Partial<ListSearch>) => void
  /** Reloads the list from its top. */
  readonly reload: () => void
  /** The path of the column whose header was pressed last. */
  readonly pressedHeader: RefObject<string | undefined>
}

export type ListActions = Pick<ListView, 'change' | 'reload'>

export function useListView(
  collection: StudioCollection,
  search: ListSearch,
  { change, reload }: ListActions,
): ListView {
  const { collections } = useModel()
  const subject = useSubject()
  const pressedHeader = useRef<string | undefined>(undefined)
  return useMemo(() => {
    const fields = getListFields(collection)
    const columnMemory = new ColumnMemory(subject, collection.key)
    const text = search.columns ?? columnMemory.get() ?? formatColumns(getDefaultColumns(collection))
    const columns = parseColumns(text, getColumnFields(fields, collection))
    const query = buildRowsQuery(collection, search, { fields, columns }, collections)
    return {
      collection,
      collections,
      search,
      fields,
      columns,
      query,
      columnMemory,
      subject,
      thumbnailField: findThumbnailField(collection),
      change,
      reload,
      pressedHeader,
    }
  }, [collection, collections, search, subject, change, reload])
}

/** Returns the subject of the user, under which choices are stored in this browser. */
export const useSubject = (): string => useSession().identity?.subject ?? ''

/** The maximum number of columns after the title. */
export const MAX_COLUMNS = 12

const getDefaultColumns = ({ statusField }: StudioCollection): readonly string[] =>
  [statusField, 'updatedAt'].filter((path) => path !== null)

/** Returns the fields that can be columns, except the title. */
export const getColumnFields = (fields: readonly ListField[], { titleField }: StudioCollection): readonly ListField[] =>
  fields.filter(({ path, isShort }) => isShort && path !== titleField)

/**
 * Parses the columns in a URL, without those that are not in the model, such as columns of an older config.
 *
 * @param text paths separated by commas; `-` for no columns
 */
function parseColumns(text: string, fields: readonly ListField[]): readonly ListField[] {
  const paths = new Set(text.split(','))
  const byPath = new Map(fields.map((field) => [field.path, field]))
  return [...paths].flatMap((path) => byPath.get(path) ?? []).slice(0, MAX_COLUMNS)
}

export const formatColumns = (paths: readonly string[]): string => (paths.length === 0 ? '-' : paths.join(','))

/** Stores the user's choice of columns for a collection in this browser. */
class ColumnMemory {
  readonly #storageKey: string

  /** @param subject of the signed-in user */
  constructor(subject: string, collection: string) {
    this.#storageKey = `daybook-studio:${subject}:columns:${collection}`
  }

  /** Returns the columns as in a URL; `undefined` if none are stored. */
  get(): string | undefined {
    return localStorage.getItem(this.#storageKey) ?? undefined
  }

  /** @param columns `undefined` removes the choice */
  set(columns: string | undefined): void {
    if (columns === undefined) localStorage.removeItem(this.#storageKey)
    else localStorage.setItem(this.#storageKey, columns)
  }
}
