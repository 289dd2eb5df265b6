import type { JsonSchema } from '../../fields/field.ts'
import type { CollectionModel } from '../../model/model.ts'
import { MAX_SORT_KEYS } from '../../query/listing.ts'

/**
 * The keys by which a collection can be sorted, as far as a reader may know them.
 *
 * @param people those of who made and last changed an entry
 */
export function sortSchema(
  { comparables }: CollectionModel,
  hidden: ReadonlySet<string>,
  people: readonly string[],
): JsonSchema {
  const shown = [...comparables.values()].filter(({ owner }) => !hidden.has(owner)).map(({ path }) => path)
  const keys = [...shown, ...people].flatMap((path) => [path, `-${path}`])
  return {
    type: 'array',
    items: { type: 'string', enum: keys },
    minItems: 1,
    maxItems: MAX_SORT_KEYS,
    uniqueItems: true,
  }
}
