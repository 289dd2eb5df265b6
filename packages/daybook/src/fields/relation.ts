import type { CommonOptions, CountedOptions, Exactly, Field, FieldType, JsonSchema, OptionRule } from './field.ts'
import { COUNTED_ANSWERS, checkCounted, makeField } from './field.ts'
import { aFlag, COMMON_RULES, COUNTED_RULES, SCALAR_RULES } from './rules.ts'
import { isUuidShaped } from './slug.ts'

export interface RelationOptions<Value = unknown> extends CommonOptions<Value>, CountedOptions {
  /** Holds up to 1,000 different ids, in order. @default false */
  readonly many?: boolean
  /**
   * When the target is deleted: take the reference out, or refuse the deletion with 409. With `access.read`, on the field or around it,
   * only `'unset'`. @default `'restrict'` when required, else `'unset'`
   */
  readonly onDelete?: 'unset' | 'restrict'
  /** `false`: the field can be neither filtered nor sorted. @default true */
  readonly index?: boolean
}

/** The keyword under which the schema of a reference names the collection that it leads to. */
export const REFERS_TO: string = 'x-refers-to'

/** What a filter compares a reference with. */
export const ID_FILTER: JsonSchema = { type: 'string', format: 'uuid' }

/** The most references that one field holds. */
const MAX_REFERENCES = 1000

const anOnDelete: OptionRule = (value) =>
  value === 'unset' || value === 'restrict' ? undefined : 'write "unset" or "restrict"'

/** What happens to a reference when its target is deleted. */
const onDeleteOf = ({ onDelete, required }: RelationOptions): 'unset' | 'restrict' =>
  onDelete ?? (required ? 'restrict' : 'unset')

const ids = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'string')

const isId = (value: unknown): boolean => typeof value === 'string' && isUuidShaped(value)

const relation: FieldType<RelationOptions & { readonly to: string }> = {
  name: 'relation',
  rules: {
    ...COMMON_RULES,
    to: () => undefined,
    many: aFlag,
    onDelete: anOnDelete,
    index: SCALAR_RULES.index,
    ...COUNTED_RULES,
  },
  check(options, place, report) {
    checkCounted(options, place, report)
    if (options.many && options.counted)
      report.add(`${place.path}.counted`, 'leave it out where many is true: counting takes single relations')
    if (!place.collections.includes(options.to)) {
      report.add(place.path, `"${options.to}" is not a collection; write one of: ${place.collections.join(', ')}`)
    }
    if (place.guarded && onDeleteOf(options) === 'restrict') {
      report.add(
        `${place.path}.onDelete`,
        'write "unset", or leave access.read out: a refused deletion would tell what the field holds',
      )
    }
  },
  schema(options) {
    const one = {
      type: 'string',
      format: 'uuid',
      description: `Id of an entry of ${options.to}.`,
      [REFERS_TO]: options.to,
    }
    return options.many ? { type: 'array', items: one, uniqueItems: true, maxItems: MAX_REFERENCES } : one
  },
  accepts: (value, options) => (options.many ? Array.isArray(value) && value.every(isId) : isId(value)),
  empty: (options) => (options.many ? [] : null),
  canonical: (value) =>
    Array.isArray(value) ? [...new Set(value.map((id) => String(id).toLowerCase()))] : String(value).toLowerCase(),
  relation: (options) => ({ to: options.to, many: options.many === true, onDelete: onDeleteOf(options) }),
  ...COUNTED_ANSWERS,
  isMany: (options) => options.many === true && options.index !== false,
  scalar: (options) => (options.many || options.index === false ? undefined : 'text'),
  fromQuery: (text) => (isUuidShaped(text) ? text.toLowerCase() : undefined),
  filterSchema: () => ID_FILTER,
  references: (value, options) => ids(value).map((id) => ({ collection: options.to, id })),
}

type RelationValue<O extends RelationOptions> = O extends { readonly many: true } ? readonly string[] : string

/**
 * The id of an entry of another collection (or the same), or several with `many: true`.
 *
 * @param to the key of the collection
 */
export function relationField<
  const To extends string,
  const O extends RelationOptions = Record<never, never>,
  const Many extends boolean = false,
>(
  to: To,
  options?: Exactly<O, RelationOptions<RelationValue<{ readonly many: Many }>>> & { readonly many?: Many },
): Field<RelationValue<O>, NoInfer<O> & { readonly to: To }> {
  return makeField(relation, { ...options, to } as unknown as O & { readonly to: To })
}
