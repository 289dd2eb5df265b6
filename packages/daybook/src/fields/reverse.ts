import { findNearest } from '../nearest.ts'
import type { CommonOptions, Exactly, Field, FieldPlace, Fields, FieldType, JsonSchema, OptionRule } from './field.ts'
import { getTargets, innerFields, isRecord, makeField } from './field.ts'
import { COMMON_RULES } from './option-rules.ts'

export interface ReverseOptions extends Pick<CommonOptions, 'description'> {
  /** `{ read }`, a function of the caller that answers true or false at once. @default everyone who may read the relation */
  readonly access?: { readonly read?: NonNullable<CommonOptions['access']>['read'] }
}

/** The keyword under which the schema of a reverse field names the collection that it lists. */
export const LISTS_KEYWORD: string = 'x-lists'

/** What stands in a relation's name: its collection, and its path there. */
const NAME = /^([a-z][a-zA-Z0-9_]*)\.(.+)$/

const aReadRule: OptionRule = (value) =>
  isRecord(value) && Object.entries(value).every(([key, rule]) => key === 'read' && typeof rule === 'function')
    ? undefined
    : 'write { read: (caller) => boolean }; nothing is written to a reverse field'

/** A relation as a reverse field names it. */
interface NamedRelation {
  readonly collection: string
  readonly path: string
}

function readName(name: unknown): NamedRelation | undefined {
  const [, collection, path] = (typeof name === 'string' && NAME.exec(name)) || []
  return collection === undefined || path === undefined ? undefined : { collection, path }
}

/** The fields of a group; none of another field, and of a group that the check of its own refuses. */
const fieldsInside = (field: Field): readonly Fields[] =>
  field?.type?.isGroup ? innerFields(field).filter((fields) => isRecord(fields)) : []

/** The field at a dotted path: at the top level, or inside groups. */
function fieldAt(fields: Fields, path: string): Field | undefined {
  const dot = path.indexOf('.')
  const key = dot < 0 ? path : path.slice(0, dot)
  const field = Object.hasOwn(fields, key) ? fields[key] : undefined
  if (dot < 0 || !field) return field
  return fieldsInside(field)
    .map((one) => fieldAt(one, path.slice(dot + 1)))
    .find((one) => one !== undefined)
}

/** Dotted paths of the relations to a collection, as far as filters reach them. */
function relationsTo(fields: Fields, target: string, before = ''): readonly string[] {
  return Object.entries(fields).flatMap(([key, field]) => {
    const path = `${before}${key}`
    const relation = field?.type?.relation?.(field.options)
    const leads = relation !== undefined && getTargets(relation).includes(target)
    const inner = fieldsInside(field)
    return [...(leads ? [path] : []), ...inner.flatMap((one) => relationsTo(one, target, `${path}.`))]
  })
}

/** What is wrong with the relation that a reverse field names; `undefined`: nothing. */
function faultOf(
  name: unknown,
  { collection: own, collections, fieldsOf, isNested: nested }: FieldPlace,
): string | undefined {
  if (own === undefined || nested) return 'put it at the top level of a collection: no relation leads elsewhere'
  const named = readName(name)
  if (!named) return 'name a collection and its relation, as f.reverse("posts.author")'
  const { collection, path } = named
  const fields = fieldsOf(collection)
  if (!fields) {
    const meant = findNearest(collection, collections) ?? `one of: ${collections.join(', ')}`
    return `"${collection}" is not a collection; write ${meant}`
  }
  const field = fieldAt(fields, path)
  const relation = field?.type?.relation?.(field.options)
  const choices = relationsTo(fields, own)
    .filter((one) => isFiltered(fields, one))
    .map((one) => `f.reverse("${collection}.${one}")`)
  const advice = choices.length > 0 ? `write ${choices.join(' or ')}` : `${collection} has no relation to ${own}`
  if (!field || !relation) return `${collection} has no relation "${path}"; ${advice}`
  const targets = getTargets(relation)
  if (!targets.includes(own)) return `${collection}.${path} leads to ${targets.join(' and ')}, not to ${own}; ${advice}`
  return isFiltered(fields, path) ? undefined : `${collection}.${path} has no index to find entries by; ${UNINDEXED}`
}

const UNINDEXED = 'leave index: false out there, and localized where it holds many'

/** Whether entries can be found by what the field holds. Members of a list are kept for one locale alone. */
function isFiltered(fields: Fields, path: string): boolean {
  const way = path.split('.').map((_, index, keys) => fieldAt(fields, keys.slice(0, index + 1).join('.')))
  const { type, options } = way.at(-1) as Field
  const relation = type.relation?.(options)
  if (type.scalar?.(options) !== undefined || (relation?.isIndexed && !relation.many)) return true
  return type.isMany?.(options) === true && way.every((one) => one?.options.localized !== true)
}

const reverse: FieldType<ReverseOptions & { readonly through: string }> = {
  name: 'reverse',
  rules: { description: COMMON_RULES.description, access: aReadRule, through: () => undefined },
  check({ through }, place, report) {
    const fault = faultOf(through, place)
    if (fault) report.add(place.path, fault)
  },
  schema: ({ through }): JsonSchema => {
    const { collection = '' } = readName(through) ?? {}
    return {
      type: 'object',
      description: `Entries of ${collection} that refer to this one.`,
      [LISTS_KEYWORD]: collection,
    }
  },
  accepts: () => false,
  reverse: ({ through }) => readName(through),
}

/** What a reverse field says of itself in its options. */
type Reversed<Through> = { readonly through: Through; readonly '~filled'?: true }

/**
 * The entries whose relation leads to this one. It stores nothing: with `include`, its value is one page of a list of those
 * entries, which `reverse[…]` pages and sorts; without, it is absent. At the top level of a collection alone.
 *
 * @param through the collection and its relation, as `'posts.author'`
 */
export function reverseField<const Through extends string, const O extends ReverseOptions = Record<never, never>>(
  through: Through,
  options?: Exactly<O, ReverseOptions>,
): Field<undefined, NoInfer<O> & Reversed<Through>, unknown> {
  return makeField(reverse, { ...options, through } as unknown as O & Reversed<Through>)
}
