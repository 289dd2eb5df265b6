import type { Field, JsonSchema } from '../../fields/field.ts'
import type { CollectionModel, Model } from '../../model/model.ts'
import { schemaOf } from './fit.ts'

/** A field that a front-matter key fills. */
export interface TargetField {
  readonly key: string
  readonly schema: JsonSchema
  /** The collection whose entries a relation field refers to, by id or by name. */
  readonly refersTo: CollectionModel | undefined
}

export function toTarget({ collections }: Model, key: string, field: Field): TargetField {
  const to = field.type.relation?.(field.options).to
  // A name does not say in which of several collections it is.
  return { key, schema: schemaOf(field), refersTo: typeof to === 'string' ? collections.get(to) : undefined }
}
