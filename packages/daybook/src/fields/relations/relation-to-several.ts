import { isUuidShaped } from '../../slugs.ts'
import type { FieldPlace, FieldType, JsonSchema, Reference } from '../field.ts'
import { isRecord } from '../field.ts'
import {
  checkRelation,
  MAX_REFERENCES,
  onDeleteOf,
  REFERS_TO,
  RELATION_RULES,
  type RelationOptions,
} from './relation.ts'

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
export const relationToSeveral: FieldType<Options> = {
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
  adopt(value, { to, many, formerTo }) {
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
    onDelete: onDeleteOf(options),
    isIndexed: options.index !== false,
  }),
  isMany: (options) => options.many === true && options.index !== false,
  references: (value, { to }) => referencesIn(value).map((one) => ({ ...one, among: to })),
}
