import type { Exactly, Field } from '../field.ts'
import { makeField } from '../field.ts'
import { type RelationOptions, relationToOne } from './relation.ts'
import { relationToSeveral } from './relation-to-several.ts'

/** A reference to an entry of any of these collections. */
export type TaggedReference<To extends string = string> = {
  readonly [K in To]: { readonly collection: K; readonly id: string }
}[To]

type ReferenceTo<To> = To extends readonly (infer One extends string)[] ? TaggedReference<One> : string

type RelationValue<O extends RelationOptions, To> = O extends { readonly many: true }
  ? readonly ReferenceTo<To>[]
  : ReferenceTo<To>

/**
 * The id of an entry of another collection (or the same), or several with `many: true`. Of a list of collections, the value is
 * `{ collection, id }`.
 *
 * @param to the key of the collection, or a list of keys
 */
export function relationField<
  const To extends string | readonly string[],
  const O extends RelationOptions = Record<never, never>,
  const Many extends boolean = false,
>(
  to: To,
  options?: Exactly<O, RelationOptions<RelationValue<{ readonly many: Many }, To>>> & { readonly many?: Many },
): Field<RelationValue<O, To>, NoInfer<O> & { readonly to: To }> {
  const type = typeof to === 'string' ? relationToOne : relationToSeveral
  return makeField(type, { ...options, to } as unknown as O & { readonly to: To })
}
