import { type CollectionModel, findTitleField } from '../../model/model.ts'
import type { EntryRow } from '../../store/rows.ts'
import type { Values } from '../documents/document.ts'
import { present } from './present.ts'

export interface TitledEntry {
  readonly collection: string
  readonly id: string
  /** Absent if the collection has no slugs. */
  readonly slug?: string
  /** Absent if the collection has no status. */
  readonly status?: string
  /** `null` if the entry has no title. */
  readonly title: string | null
}

export function toTitledEntry(collection: CollectionModel, row: EntryRow, hidden: ReadonlySet<string>): TitledEntry {
  const { slug, status } = collection
  const keys = ['id', findTitleField(collection, hidden), slug?.key, status?.key]
  const select = new Set(keys.filter((key) => key !== undefined))
  return valuesToTitledEntry(collection, row.id, JSON.parse(present(collection, row, { hidden, select })), hidden)
}

/** Converts the values of an entry in one locale to a titled entry, without hidden fields. */
export function valuesToTitledEntry(
  collection: CollectionModel,
  id: string,
  values: Values,
  hidden: ReadonlySet<string>,
): TitledEntry {
  const { slug, status } = collection
  const getText = (key: string | undefined): string | undefined => {
    const value = key === undefined || hidden.has(key) ? undefined : values[key]
    return typeof value === 'string' && value.trim() !== '' ? value : undefined
  }
  const [slugText, statusText] = [getText(slug?.key), getText(status?.key)]
  return {
    collection: collection.key,
    id,
    ...(slugText === undefined ? {} : { slug: slugText }),
    ...(statusText === undefined ? {} : { status: statusText }),
    title: getText(findTitleField(collection, hidden)) ?? null,
  }
}
