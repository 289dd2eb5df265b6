import type { CollectionModel } from '../../model/model.ts'
import { findTitleField } from '../../model/model.ts'
import type { EntryRow } from '../../store/rows.ts'
import type { Values } from '../documents/document.ts'
import { present } from './present.ts'

/** An entry of some collection, as far as it is called something. */
export interface TitledEntry {
  readonly collection: string
  readonly id: string
  /** Absent where the collection has no slugs. */
  readonly slug?: string
  /** Absent where the collection has no status. */
  readonly status?: string
  /** What it is called; `null`: nothing. */
  readonly title: string | null
}

/** What an entry is called, where the reader may know, and how it is addressed. */
export function toTitledEntry(collection: CollectionModel, row: EntryRow, hidden: ReadonlySet<string>): TitledEntry {
  const { slug, status } = collection
  const keys = ['id', findTitleField(collection, hidden), slug?.key, status?.key]
  const select = new Set(keys.filter((key) => key !== undefined))
  return valuesToTitledEntry(collection, row.id, JSON.parse(present(collection, row, { hidden, select })), hidden)
}

/** The same of an entry's values in one language. */
export function valuesToTitledEntry(
  collection: CollectionModel,
  id: string,
  values: Values,
  hidden: ReadonlySet<string>,
): TitledEntry {
  const { slug, status } = collection
  const textAt = (key: string | undefined): string | undefined => {
    const value = key === undefined || hidden.has(key) ? undefined : values[key]
    return typeof value === 'string' && value.trim() !== '' ? value : undefined
  }
  const [ownSlug, ownStatus] = [textAt(slug?.key), textAt(status?.key)]
  return {
    collection: collection.key,
    id,
    ...(ownSlug === undefined ? {} : { slug: ownSlug }),
    ...(ownStatus === undefined ? {} : { status: ownStatus }),
    title: textAt(findTitleField(collection, hidden)) ?? null,
  }
}
