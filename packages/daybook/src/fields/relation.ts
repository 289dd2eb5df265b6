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
  /** True for a list of up to 1,000 different references, in order. @default false */
  readonly many?: boolean
  /**
   * The effect of a deletion of the target: `'unset'` removes the reference, `'restrict'` rejects the deletion with 409. With `access.read` on
   * the field or around it, only `'unset'`. @default `'restrict'` if required, else `'unset'`
   */
  readonly onDelete?: 'unset' | 'restrict'
  /** `false` saves the index. The field can then be neither filtered nor sorted. @default true */
  readonly index?: boolean
  /**
   * The former first argument, if the relation has changed from one target collection to several or back. `daybook migrate` moves the values.
   * @see docs/guides/changing-your-config.md
   */
  readonly formerTo?: string | readonly string[]
}

/** The keyword of a schema for the target collection of a reference, or the list of them. */
export const REFERS_TO: string = 'x-refers-to'

/** The JSON Schema of the operand of a filter on references. */
export const ID_FILTER: JsonSchema = { type: 'string', format: 'uuid' }

export const MAX_REFERENCES = 1000

export const onDeleteRule: OptionRule = (value) =>
  value === 'unset' || value === 'restrict' ? undefined : 'must be "unset" or "restrict"'

const formerToRule: OptionRule = (value) =>
  isKey(value) || (Array.isArray(value) && value.length > 0 && value.every(isKey))
    ? undefined
    : "must be what the relation referred to, such as 'posts' or ['posts', 'pages']"

/** The rules of {@link RelationOptions}. */
export const RELATION_RULES: FieldType<RelationOptions & { readonly to: unknown }>['rules'] = {
  ...COMMON_RULES,
  to: () => undefined,
  many: flagRule,
  onDelete: onDeleteRule,
  index: SCALAR_RULES.index,
  formerTo: formerToRule,
  ...COUNTED_RULES,
}

/** Checks the options that relations to one and to several collections share. */
export function checkRelation(options: RelationOptions, place: FieldPlace, report: FaultReport): void {
  if (place.isGuarded && getOnDelete(options) === 'restrict') {
    report.add(
      `${place.path}.onDelete`,
      'must be "unset" with access.read, because a rejected deletion would tell what the field contains. Write "unset", or leave access.read out',
    )
  }
  if (options.formerTo !== undefined && options.localized === true) {
    report.add(
      `${place.path}.formerTo`,
      'is not allowed, because the values of a localized relation cannot be moved. Leave it out',
    )
  }
}

/** Returns the effect of a deletion of the target. */
export const getOnDelete = ({ onDelete, required }: RelationOptions): 'unset' | 'restrict' =>
  onDelete ?? (required ? 'restrict' : 'unset')

const readIds = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'string')

const isId = (value: unknown): boolean => typeof value === 'string' && isUuidShaped(value)

const getTaggedId = (reference: unknown, to: string): string | undefined =>
  isRecord(reference) && reference.collection === to && isId(reference.id) ? String(reference.id) : undefined

/** Creates the schema of an id of an entry, or of a list of ids. */
export function createIdSchema(to: string, many = false): JsonSchema {
  const schema = { type: 'string', format: 'uuid', description: `Id of an entry of ${to}.`, [REFERS_TO]: to }
  return many ? { type: 'array', items: schema, uniqueItems: true, maxItems: MAX_REFERENCES } : schema
}

export const readIdReferences = (collection: string, value: unknown): readonly Reference[] =>
  readIds(value).map((id) => ({ collection, id }))

/** The members of types whose references are ids. */
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

/** A relation to one collection, whose references are ids. */
export const relationToOne: FieldType<RelationOptions & { readonly to: string }> = {
  name: 'relation',
  rules: RELATION_RULES,
  check(options, place, report) {
    checkCounted(options, place, report)
    if (options.many && options.counted)
      report.add(
        `${place.path}.counted`,
        'is not allowed with many: true, because only single relations are counted. Leave it out',
      )
    if (!place.collections.includes(options.to)) {
      report.add(
        place.path,
        `refers to "${options.to}", which is not a collection. Use one of: ${place.collections.join(', ')}`,
      )
    }
    if (typeof options.formerTo === 'string') {
      report.add(
        `${place.path}.formerTo`,
        "must be the list of collections that it referred to, such as ['posts', 'pages']",
      )
    }
    checkRelation(options, place, report)
  },
  schema: ({ to, many }) => createIdSchema(to, many),
  convertFormer(value, { to, many, formerTo }) {
    if (!Array.isArray(formerTo) || Array.isArray(value) !== (many === true)) return undefined
    const ids = [value].flat().map((reference) => getTaggedId(reference, to))
    if (ids.includes(undefined)) return undefined
    return many ? ids : ids[0]
  },
  // Drops references to other former target collections.
  replacement: ({ to, many, formerTo }, value) => {
    if (!many) return null
    return Array.isArray(formerTo) ? [value].flat().flatMap((reference) => getTaggedId(reference, to) ?? []) : []
  },
  relation: (options) => ({ to: options.to, many: options.many === true, onDelete: getOnDelete(options) }),
  ...ID_BEHAVIOR,
  references: (value, { to }) => readIdReferences(to, value),
}

/** The key of the collection in a tagged reference, and in the included document. */
export const COLLECTION_KEY: string = 'collection'

type Options = RelationOptions & { readonly to: readonly string[] }

/** Returns true if a value is a reference with its collection. */
export const isTaggedReference = (value: unknown): value is Reference =>
  isRecord(value) && typeof value.collection === 'string' && typeof value.id === 'string' && isUuidShaped(value.id)

const tag = (collection: string, id: string): Reference => ({ collection, id: id.toLowerCase() })

const readTaggedReferences = (value: unknown): readonly Reference[] =>
  [value].flat().flatMap((item) => (isTaggedReference(item) ? [tag(item.collection, item.id)] : []))

const accepts = (value: unknown, { to }: Options): boolean => isTaggedReference(value) && to.includes(value.collection)

/** Removes duplicate references. */
const deduplicate = (references: readonly Reference[]): readonly Reference[] => [
  ...new Map(references.map((reference) => [`${reference.collection} ${reference.id}`, reference])).values(),
]

/** Returns the fault of a target collection, or `undefined` if it is valid. */
function findTargetFault(target: string, { collections, fieldsOf }: FieldPlace): string | undefined {
  if (!collections.includes(target)) {
    return `refers to "${target}", which is not a collection. Use one of: ${collections.join(', ')}`
  }
  return Object.hasOwn(fieldsOf(target) ?? {}, COLLECTION_KEY)
    ? `refers to ${target}, whose field "${COLLECTION_KEY}" would hide the collection of an included entry. Give that field another key`
    : undefined
}

/** A relation to several collections, whose references have their collection. */
const relationToSeveral: FieldType<Options> = {
  name: 'relation',
  rules: RELATION_RULES,
  check(options, place, report) {
    const { to } = options
    if (to.length === 0)
      report.add(place.path, "must name at least one collection, such as f.relation(['posts', 'pages'])")
    if (new Set(to).size < to.length) report.add(place.path, 'must name each collection only once')
    for (const fault of new Set(to.map((target) => findTargetFault(target, place)))) {
      if (fault) report.add(place.path, fault)
    }
    if (Array.isArray(options.formerTo)) {
      report.add(`${place.path}.formerTo`, "must be the collection that it referred to, such as 'posts'")
    }
    if (options.counted !== undefined) {
      report.add(
        `${place.path}.counted`,
        'is not allowed, because only relations to one collection are counted. Leave it out',
      )
    }
    checkRelation(options, place, report)
  },
  schema({ to, many }): JsonSchema {
    const schema = {
      type: 'object',
      description: `Collection and id of an entry of ${to.join(' or ')}.`,
      properties: { collection: { type: 'string' }, id: { type: 'string', format: 'uuid' } },
      required: ['collection', 'id'],
      additionalProperties: false,
      [REFERS_TO]: to,
    }
    return many ? { type: 'array', items: schema, uniqueItems: true, maxItems: MAX_REFERENCES } : schema
  },
  accepts: (value, options) =>
    options.many ? Array.isArray(value) && value.every((item) => accepts(item, options)) : accepts(value, options),
  convertFormer(value, { to, many, formerTo }) {
    if (typeof formerTo !== 'string' || !to.includes(formerTo)) return undefined
    const ids = [value].flat()
    if (Array.isArray(value) !== (many === true)) return undefined
    if (!ids.every((id) => typeof id === 'string' && isUuidShaped(id))) return undefined
    const references = ids.map((id) => tag(formerTo, String(id)))
    return many ? references : references[0]
  },
  empty: ({ many }) => (many ? [] : null),
  // Drops references to former target collections.
  replacement: (options, value) => (options.many ? [value].flat().filter((item) => accepts(item, options)) : null),
  canonical: (value) =>
    Array.isArray(value) ? deduplicate(readTaggedReferences(value)) : readTaggedReferences(value)[0],
  relation: (options) => ({
    to: options.to,
    many: options.many === true,
    onDelete: getOnDelete(options),
    isIndexed: options.index !== false,
  }),
  isMany: (options) => options.many === true && options.index !== false,
  references: (value, { to }) =>
    readTaggedReferences(value).map((reference) => ({ ...reference, allowedCollections: to })),
}

/** A reference to an entry of one of these collections. */
type TaggedReference<To extends string = string> = {
  readonly [K in To]: { readonly collection: K; readonly id: string }
}[To]

type ReferenceTo<To> = To extends readonly (infer One extends string)[] ? TaggedReference<One> : string

type RelationValue<O extends RelationOptions, To> = O extends { readonly many: true }
  ? readonly ReferenceTo<To>[]
  : ReferenceTo<To>

/**
 * The id of an entry of another or the same collection, or several with `many: true`. With a list of collections, the value is
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
