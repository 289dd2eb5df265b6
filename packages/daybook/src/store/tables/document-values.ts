import { isRecord } from '../../fields/field.ts'
import type { CollectionModel, DerivedText } from '../../model/model.ts'

type Document = Readonly<Record<string, unknown>>

/** One value of a field, as tables of members and counters store it. */
export interface FieldMember {
  readonly field: string
  readonly value: string
}

/** Returns the value at a dotted path of a document; `undefined` if there is none. */
export const valueAt = (doc: Document, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), doc)

/** Collects the distinct members of multi-valued selects and lists of scalars. Skips values that an older config wrote. */
export function collectMembers({ multiValuedFields }: CollectionModel, doc: Document): readonly FieldMember[] {
  return [...multiValuedFields.values()].flatMap(({ path, to, part, accepts }) => {
    const value = to === undefined && !part ? valueAt(doc, path) : undefined
    if (!Array.isArray(value) || !accepts(value)) return []
    return [...new Set(value.map(String))].map((value) => ({ field: path, value }))
  })
}

/** Lists the derived fields of a collection: texts with case and accents folded, and sort keys. */
export const listDerivedFields = ({ filterableFields, sortKeys }: CollectionModel): readonly DerivedText[] => [
  ...[...filterableFields.values()].flatMap(({ folded }) => folded?.derived ?? []),
  ...[...sortKeys.values()].flatMap(({ derived }) => derived ?? []),
]

/** Computes the derived fields of a document, as the column `folded` holds them. */
export function deriveFields(collection: CollectionModel, doc: Document): string | null {
  const texts = listDerivedFields(collection).flatMap(({ path, member, derive }) => {
    const text = valueAt(doc, path)
    return typeof text === 'string' ? [[member, derive(text)]] : []
  })
  return texts.length > 0 ? JSON.stringify(Object.fromEntries(texts)) : null
}

/** Collects the values of counted fields in a document, each after an equals sign; empty text for a missing value. */
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
