import type { Field } from '../../fields/field.ts'
import type { DocumentModel } from '../../model/model.ts'
import type { FieldReference } from '../../store/rows.ts'
import { getInnerValues, type Values } from './document.ts'

export const findReferences = (document: DocumentModel, values: Values): readonly FieldReference[] =>
  findPlacedReferences(document, values).map(({ reference }) => reference)

export interface PlacedReference {
  readonly reference: FieldReference
  /** JSON Pointer (RFC 6901) to the value with the reference. */
  readonly path: string
}

export const findPlacedReferences = (document: DocumentModel, values: Values): readonly PlacedReference[] =>
  document.fields.flatMap(({ key, field }) => collectReferences(field, values[key], { field: key, path: `/${key}` }))

function collectReferences(
  field: Field,
  value: unknown,
  place: { readonly field: string; readonly path: string },
): readonly PlacedReference[] {
  if (value === null || value === undefined) return []
  const references = field.type.references?.(value, field.options) ?? []
  const direct = references.map((reference) => ({ reference: { ...reference, field: place.field }, path: place.path }))
  const inner = getInnerValues(field, value, place.path).flatMap((innerValue) =>
    collectReferences(innerValue.field, innerValue.value, {
      field: innerValue.key === '' ? place.field : `${place.field}.${innerValue.key}`,
      path: innerValue.path,
    }),
  )
  return [...direct, ...inner]
}
