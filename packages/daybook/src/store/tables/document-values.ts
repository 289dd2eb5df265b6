import { isRecord } from '../../fields/field.ts'
import type { CollectionModel, DerivedText } from '../../model/model.ts'

type Document = Readonly<Record<string, unknown>>

/** One value of a field, as tables beside the documents keep it. */
export interface FieldMember {
  readonly field: string
  /** The value as text. */
  readonly value: string
}

/** The value at a dotted path of a document; `undefined`: there is none. */
export const valueAt = (doc: Document, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), doc)

/** The members of many-valued selects and lists of scalars, each once. A value that an older config wrote has none. */
export function collectMembers(
  { multiValuedFields: manyValued }: CollectionModel,
  doc: Document,
): readonly FieldMember[] {
  return [...manyValued.values()].flatMap(({ path, to, part, accepts }) => {
    const held = to === undefined && !part ? valueAt(doc, path) : undefined
    if (!Array.isArray(held) || !accepts(held)) return []
    return [...new Set(held.map(String))].map((value) => ({ field: path, value }))
  })
}

/** What the column `folded` holds: texts with case and accents folded, and sort keys. */
export const listDerivedFields = ({
  filterableFields: comparables,
  sortKeys,
}: CollectionModel): readonly DerivedText[] => [
  ...[...comparables.values()].flatMap(({ folded }) => folded?.derived ?? []),
  ...[...sortKeys.values()].flatMap(({ derived }) => derived ?? []),
]

/** The texts that are made from those of a document, as the column `folded` holds them. */
export function deriveFields(collection: CollectionModel, doc: Document): string | null {
  const texts = listDerivedFields(collection).flatMap(({ path, member, derive }) => {
    const text = valueAt(doc, path)
    return typeof text === 'string' ? [[member, derive(text)]] : []
  })
  return texts.length > 0 ? JSON.stringify(Object.fromEntries(texts)) : null
}

/** The values of counted fields in a document: each behind an equals sign, and empty where a field holds none. */
export function collectCountedValues(collection: CollectionModel, doc: Document): readonly FieldMember[] {
  if (collection.counted.length === 0) return []
  const members = collectMembers(collection, doc)
  return collection.counted.flatMap(({ path }) => {
    if (collection.multiValuedFields.has(path))
      return members.filter(({ field }) => field === path).map(({ value }) => ({ field: path, value: `=${value}` }))
    const value = valueAt(doc, path)
    return [{ field: path, value: value === null || value === undefined ? '' : `=${value}` }]
  })
}
