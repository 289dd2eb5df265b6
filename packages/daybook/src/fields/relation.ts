import { isUuidShaped } from '../slugs.ts'
import {
  COUNTED_BEHAVIOR,
  type CommonOptions,
  type CountedOptions,
  checkCounted,
  type Exactly,
  type FaultReport,
  type Field,
  type FieldPlace,
  type FieldType,
  isRecord,
  type JsonSchema,
  makeField,
  type OptionRule,
  type Reference,
} from './field.ts'
import { COMMON_RULES, COUNTED_RULES, flagRule, isKey, SCALAR_RULES } from './option-rules.ts'

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
  /**
   * What the relation led to before it led to one collection instead of several, or to several instead of one: the former first
   * argument. `daybook migrate` moves the values. @see docs/changing-your-config.md
   */
  readonly formerTo?: string | readonly string[]
}

/** The keyword under which the schema of a reference names the collection that it leads to, or the list of them. */
export const REFERS_TO: string = 'x-refers-to'

/** What a filter compares a reference with. */
export const ID_FILTER: JsonSchema = { type: 'string', format: 'uuid' }

/** The most references that one field holds. */
export const MAX_REFERENCES = 1000

const anOnDelete: OptionRule = (value) =>
  value === 'unset' || value === 'restrict' ? undefined : 'write "unset" or "restrict"'

const aFormerTo: OptionRule = (value) =>
  isKey(value) || (Array.isArray(value) && value.length > 0 && value.every(isKey))
    ? undefined
    : "write what the relation led to, as 'posts' or ['posts', 'pages']"

/** The rules of what {@link RelationOptions} may say. */
export const RELATION_RULES: FieldType<RelationOptions & { readonly to: unknown }>['rules'] = {
  ...COMMON_RULES,
  to: () => undefined,
  many: flagRule,
  onDelete: anOnDelete,
  index: SCALAR_RULES.index,
  formerTo: aFormerTo,
  ...COUNTED_RULES,
}

/** Faults of the options that relations to one and to several collections share. */
export function checkRelation(options: RelationOptions, place: FieldPlace, report: FaultReport): void {
  if (place.isGuarded && getOnDelete(options) === 'restrict') {
    report.add(
      `${place.path}.onDelete`,
      'write "unset", or leave access.read out: a refused deletion would tell what the field holds',
    )
  }
  if (options.formerTo !== undefined && options.localized === true) {
    report.add(`${place.path}.formerTo`, 'leave it out: the values of a localized relation cannot be moved')
  }
}

/** What happens to a reference when its target is deleted. */
export const getOnDelete = ({ onDelete, required }: RelationOptions): 'unset' | 'restrict' =>
  onDelete ?? (required ? 'restrict' : 'unset')

const ids = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'string')

const isId = (value: unknown): boolean => typeof value === 'string' && isUuidShaped(value)

/** The id in a reference to several collections that leads to this one. */
const idOf = (reference: unknown, to: string): string | undefined =>
  isRecord(reference) && reference.collection === to && isId(reference.id) ? String(reference.id) : undefined

/** The schema of an id of one collection, or of a list of them. */
export function createIdSchema(to: string, many = false): JsonSchema {
  const one = { type: 'string', format: 'uuid', description: `Id of an entry of ${to}.`, [REFERS_TO]: to }
  return many ? { type: 'array', items: one, uniqueItems: true, maxItems: MAX_REFERENCES } : one
}

/** The references to one collection that a value holds. */
export const readIdReferences = (collection: string, value: unknown): readonly Reference[] =>
  ids(value).map((id) => ({ collection, id }))

/** What holds for every field whose references are ids. */
export const ID_BEHAVIOR: Pick<
  FieldType<Pick<RelationOptions, 'many' | 'index' | 'counted'>>,
  'accepts' | 'empty' | 'canonical' | 'isCounted' | 'isMany' | 'scalar' | 'fromQuery' | 'filterSchema'
> = {
  accepts: (value, { many }) => (many ? Array.isArray(value) && value.every(isId) : isId(value)),
  empty: ({ many }) => (many ? [] : null),
  canonical: (value) =>
    Array.isArray(value) ? [...new Set(value.map((id) => String(id).toLowerCase()))] : String(value).toLowerCase(),
  ...COUNTED_BEHAVIOR,
  isMany: ({ many, index }) => many === true && index !== false,
  scalar: ({ many, index }) => (many || index === false ? undefined : 'text'),
  fromQuery: (text) => (isUuidShaped(text) ? text.toLowerCase() : undefined),
  filterSchema: () => ID_FILTER,
}

/** A relation whose references are ids, because it leads to one collection. */
export const relationToOne: FieldType<RelationOptions & { readonly to: string }> = {
  name: 'relation',
  rules: RELATION_RULES,
  check(options, place, report) {
    checkCounted(options, place, report)
    if (options.many && options.counted)
      report.add(`${place.path}.counted`, 'leave it out where many is true: counting takes single relations')
    if (!place.collections.includes(options.to)) {
      report.add(place.path, `"${options.to}" is not a collection; write one of: ${place.collections.join(', ')}`)
    }
    if (typeof options.formerTo === 'string') {
      report.add(`${place.path}.formerTo`, "write the list of collections that it led to, as ['posts', 'pages']")
    }
    checkRelation(options, place, report)
  },
  schema: ({ to, many }) => createIdSchema(to, many),
  convertFormer(value, { to, many, formerTo }) {
    if (!Array.isArray(formerTo) || Array.isArray(value) !== (many === true)) return undefined
    const adopted = [value].flat().map((one) => idOf(one, to))
    if (adopted.includes(undefined)) return undefined
    return many ? adopted : adopted[0]
  },
  // References to the other collections that the relation led to are left out.
  replacement: ({ to, many, formerTo }, value) => {
    if (!many) return null
    return Array.isArray(formerTo) ? [value].flat().flatMap((one) => idOf(one, to) ?? []) : []
  },
  relation: (options) => ({ to: options.to, many: options.many === true, onDelete: getOnDelete(options) }),
  ...ID_BEHAVIOR,
  references: (value, { to }) => readIdReferences(to, value),
}

/** The key under which a reference, and the document in its place, names its collection. */
export const COLLECTION_KEY: string = 'collection'

/** What holds for a relation to several collections. */
type Options = RelationOptions & { readonly to: readonly string[] }

/** Whether a value is a reference that names its collection. */
export const isTaggedReference = (value: unknown): value is Reference =>
  isRecord(value) && typeof value.collection === 'string' && typeof value.id === 'string' && isUuidShaped(value.id)

const tag = (collection: string, id: string): Reference => ({ collection, id: id.toLowerCase() })

/** The references that a value holds. */
const referencesIn = (value: unknown): readonly Reference[] =>
  [value].flat().flatMap((one) => (isTaggedReference(one) ? [tag(one.collection, one.id)] : []))

const accepts = (value: unknown, { to }: Options): boolean => isTaggedReference(value) && to.includes(value.collection)

/** Each reference once, in the order in which they stand. */
const distinct = (references: readonly Reference[]): readonly Reference[] => [
  ...new Map(references.map((one) => [`${one.collection} ${one.id}`, one])).values(),
]

/** What is wrong with one of the collections that the relation names; `undefined`: nothing. */
function faultOf(target: string, { collections, fieldsOf }: FieldPlace): string | undefined {
  if (!collections.includes(target)) {
    return `"${target}" is not a collection; write one of: ${collections.join(', ')}`
  }
  return Object.hasOwn(fieldsOf(target) ?? {}, COLLECTION_KEY)
    ? `${target} has a field "${COLLECTION_KEY}", which would hide the collection of an included entry; give it another key`
    : undefined
}

/** A relation whose references name their collection, because it leads to several. */
const relationToSeveral: FieldType<Options> = {
  name: 'relation',
  rules: RELATION_RULES,
  check(options, place, report) {
    const { to } = options
    if (to.length === 0) report.add(place.path, "name at least one collection, as f.relation(['posts', 'pages'])")
    if (new Set(to).size < to.length) report.add(place.path, 'name each collection once')
    for (const fault of new Set(to.map((target) => faultOf(target, place)))) {
      if (fault) report.add(place.path, fault)
    }
    if (Array.isArray(options.formerTo)) {
      report.add(`${place.path}.formerTo`, "write the collection that it led to, as 'posts'")
    }
    if (options.counted !== undefined) {
      report.add(`${place.path}.counted`, 'leave it out: counts are kept of relations to one collection')
    }
    checkRelation(options, place, report)
  },
  schema({ to, many }): JsonSchema {
    const one = {
      type: 'object',
      description: `Collection and id of an entry of ${to.join(' or ')}.`,
      properties: { collection: { type: 'string' }, id: { type: 'string', format: 'uuid' } },
      required: ['collection', 'id'],
      additionalProperties: false,
      [REFERS_TO]: to,
    }
    return many ? { type: 'array', items: one, uniqueItems: true, maxItems: MAX_REFERENCES } : one
  },
  accepts: (value, options) =>
    options.many ? Array.isArray(value) && value.every((one) => accepts(one, options)) : accepts(value, options),
  convertFormer(value, { to, many, formerTo }) {
    if (typeof formerTo !== 'string' || !to.includes(formerTo)) return undefined
    const ids = [value].flat()
    if (Array.isArray(value) !== (many === true)) return undefined
    if (!ids.every((id) => typeof id === 'string' && isUuidShaped(id))) return undefined
    const adopted = ids.map((id) => tag(formerTo, String(id)))
    return many ? adopted : adopted[0]
  },
  empty: ({ many }) => (many ? [] : null),
  // References to a collection that the field does not lead to any more make room for the others.
  replacement: (options, value) => (options.many ? [value].flat().filter((one) => accepts(one, options)) : null),
  canonical: (value) => (Array.isArray(value) ? distinct(referencesIn(value)) : referencesIn(value)[0]),
  relation: (options) => ({
    to: options.to,
    many: options.many === true,
    onDelete: getOnDelete(options),
    isIndexed: options.index !== false,
  }),
  isMany: (options) => options.many === true && options.index !== false,
  references: (value, { to }) => referencesIn(value).map((one) => ({ ...one, among: to })),
}

/** A reference to an entry of any of these collections. */
type TaggedReference<To extends string = string> = {
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
