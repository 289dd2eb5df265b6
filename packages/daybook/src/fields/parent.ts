import { type Exactly, type FaultReport, type Field, type FieldPlace, type FieldType, makeField } from './field.ts'
import { COMMON_RULES, COUNTED_RULES } from './option-rules.ts'
import { createIdSchema, onDeleteRule, type RelationOptions, relationToOne } from './relation.ts'

export interface ParentOptions
  extends Pick<
    RelationOptions<string>,
    'label' | 'admin' | 'description' | 'access' | 'validate' | 'renamedFrom' | 'counted'
  > {
  /**
   * The effect of a deletion of the parent: `'unset'` makes its children roots, `'restrict'` rejects the deletion with 409.
   * @default 'unset'
   */
  readonly onDelete?: 'unset' | 'restrict'
}

/** The maximum number of levels of a tree. */
export const MAX_TREE_DEPTH = 32

/** The options with the collection, which the service adds. */
type BoundOptions = ParentOptions & { readonly to: string }

const { label, admin, description, access, validate, renamedFrom } = COMMON_RULES

const RULES = { label, admin, description, access, validate, renamedFrom, ...COUNTED_RULES, onDelete: onDeleteRule }

/** A parent in its collection, to which it refers. */
const boundParent: FieldType<BoundOptions> = {
  ...relationToOne,
  isParent: true,
  rules: { ...RULES, to: () => undefined },
  check(options, place, report) {
    checkOnlyParent(place, report)
    relationToOne.check?.(options, place, report)
  },
}

/** A parent as the config has it, which does not name its collection. */
const parent: FieldType<ParentOptions> = {
  name: relationToOne.name,
  rules: RULES,
  check: (_options, place, report) => report.add(place.path, MISPLACED),
  schema: () => createIdSchema('the same collection'),
  accepts: () => false,
  inCollection: (options, collection) => makeField(boundParent, { ...options, to: collection }),
}

const MISPLACED = 'must be among the top-level fields of a collection'

function checkOnlyParent({ path, siblings }: FieldPlace, report: FaultReport): void {
  const [first, ...excess] = Object.entries(siblings).filter(([, field]) => field?.type?.isParent === true)
  if (excess.some(([key]) => path.endsWith(`.${key}`)))
    report.add(
      path,
      `is not allowed, because a collection has only one parent field, and "${first?.[0]}" is it. Leave one of them out`,
    )
}

/**
 * The parent of an entry: a relation to the same collection without cycles, with at most 32 levels. Entries without one are roots. A
 * collection has at most one, and a global none.
 */
export function parentField<const O extends ParentOptions = Record<never, never>>(
  options?: Exactly<O, ParentOptions>,
): Field<string, NoInfer<O> & { readonly '~parent'?: true }> {
  return makeField(parent, (options ?? {}) as O)
}
