import type { CollectionModel } from '../model/model.ts'
import type { EntryDraft, FieldReference } from '../store/write.ts'
import { choicesOf, mergeFields, type Values } from './document.ts'
import { withSystem } from './present.ts'

/** What a draft is made of. */
export interface DraftParts {
  readonly id: string
  readonly values: Values
  readonly createdAt: string
  readonly updatedAt: string
  readonly references: readonly FieldReference[]
  readonly kept: string | null
}

/** An entry as the store takes it. */
export function toDraft(collection: CollectionModel, parts: DraftParts): EntryDraft {
  const { id, values, createdAt, updatedAt, references, kept } = parts
  const value = withSystem(collection, { id, createdAt, updatedAt }, mergeFields(collection, {}, values))
  const { slug, status, shape } = collection
  return {
    id,
    slug: slug ? String(values[slug.key]) : null,
    status: status ? String(values[status.key]) : null,
    created_at: createdAt,
    updated_at: updatedAt,
    shape,
    kept,
    value,
    references,
    choices: choicesOf(collection, values),
    doc: JSON.stringify(value),
  }
}
