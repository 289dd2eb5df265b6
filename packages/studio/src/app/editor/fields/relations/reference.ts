import type { FieldDescription } from 'daybook'
import { isRecord } from '../../saving/saved-field.ts'

/** An entry that a relation leads to. */
export interface Reference {
  readonly collection: string
  readonly id: string
}

/** The collections that a relation leads to, as far as the session may read them. */
export const targetsOf = ({ relation }: Pick<FieldDescription, 'relation'>): readonly string[] =>
  [relation?.to ?? []].flat()

/** Whether the references of a relation name their collection. */
const isTagged = ({ relation }: Pick<FieldDescription, 'relation'>): boolean => Array.isArray(relation?.to)

/** The references that a value holds, in order. */
export function readReferences(field: Pick<FieldDescription, 'relation'>, value: unknown): readonly Reference[] {
  const [only = ''] = targetsOf(field)
  const all = Array.isArray(value) ? value : [value]
  return all.flatMap((one) => {
    if (typeof one === 'string' && one !== '') return [{ collection: only, id: one }]
    const isReference = isRecord(one) && typeof one.collection === 'string' && typeof one.id === 'string'
    return isReference ? [{ collection: String(one.collection), id: String(one.id) }] : []
  })
}

/** The value that holds references. */
export function toValue(field: Pick<FieldDescription, 'relation' | 'many'>, references: readonly Reference[]): unknown {
  const values = references.map((one) => (isTagged(field) ? { collection: one.collection, id: one.id } : one.id))
  return field.many ? values : (values[0] ?? null)
}

/** One text for each entry. */
export const referenceKey = ({ collection, id }: Reference): string => `${collection}/${id}`
