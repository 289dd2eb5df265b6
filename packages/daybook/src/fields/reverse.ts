import { findNearest } from '../nearest.ts'
import {
  type CommonOptions,
  type Exactly,
  type Field,
  type FieldPlace,
  type Fields,
  type FieldType,
  getTargets,
  innerFields,
  isRecord,
  type JsonSchema,
  makeField,
  type OptionRule,
} from './field.ts'
import { COMMON_RULES } from './option-rules.ts'

export interface ReverseOptions extends Pick<CommonOptions, 'label' | 'description' | 'admin'> {
  /** `{ read }`, a synchronous function of the caller that returns true or false. @default everyone who may read the relation */
  readonly access?: { readonly read?: NonNullable<CommonOptions['access']>['read'] }
}

/** The keyword of a schema for the collection that a reverse field lists. */
export const LISTS_KEYWORD: string = 'x-lists'

/** The form of a relation's name: its collection and its path there. */
const NAME = /^([a-z][a-zA-Z0-9_]*)\.(.+)$/

const readRule: OptionRule = (value) =>
  isRecord(value) && Object.entries(value).every(([key, rule]) => key === 'read' && typeof rule === 'function')
    ? undefined
    : 'must be { read: (caller) => boolean }, because a reverse field is never written'

/** The parts of a relation's name. */
interface NamedRelation {
  readonly collection: string
  readonly path: string
}

function parseName(name: unknown): NamedRelation | undefined {
  const [, collection, path] = (typeof name === 'string' && NAME.exec(name)) || []
  return collection === undefined || path === undefined ? undefined : { collection, path }
}

/** Returns the fields of a group; none for another field or an invalid group. */
const getGroupFields = (field: Field): readonly Fields[] =>
  field?.type?.isGroup ? innerFields(field).filter((fields) => isRecord(fields)) : []

/** Returns the field at a dotted path, at the top level or inside groups. */
function findField(fields: Fields, path: string): Field | undefined {
  const dot = path.indexOf('.')
  const key = dot < 0 ? path : path.slice(0, dot)
  const field = Object.hasOwn(fields, key) ? fields[key] : undefined
  if (dot < 0 || !field) return field
  return getGroupFields(field)
    .map((inner) => findField(inner, path.slice(dot + 1)))
    .find((match) => match !== undefined)
}

/** Returns the dotted paths of relations to a collection, at the top level or inside groups. */
function listRelations(fields: Fields, target: string, before = ''): readonly string[] {
  return Object.entries(fields).flatMap(([key, field]) => {
    const path = `${before}${key}`
    const relation = field?.type?.relation?.(field.options)
    const isMatch = relation !== undefined && getTargets(relation).includes(target)
    const inner = getGroupFields(field)
    return [...(isMatch ? [path] : []), ...inner.flatMap((group) => listRelations(group, target, `${path}.`))]
  })
}

/** Returns the fault of the relation of a reverse field, or `undefined` if it is valid. */
function findRelationFault(
  name: unknown,
  { collection: target, collections, fieldsOf, isNested }: FieldPlace,
): string | undefined {
  if (target === undefined || isNested)
    return 'must be at the top level of a collection, because relations refer to nothing else'
  const parts = parseName(name)
  if (!parts) return 'must name a collection and its relation, such as f.reverse("posts.author")'
  const { collection, path } = parts
  const fields = fieldsOf(collection)
  if (!fields) {
    const meant = findNearest(collection, collections) ?? `one of: ${collections.join(', ')}`
    return `names "${collection}", which is not a collection. Use ${meant}`
  }
  const field = findField(fields, path)
  const relation = field?.type?.relation?.(field.options)
  const choices = listRelations(fields, target)
    .filter((relationPath) => isFilterable(fields, relationPath))
    .map((relationPath) => `f.reverse("${collection}.${relationPath}")`)
  const advice = choices.length > 0 ? `Use ${choices.join(' or ')}` : `No relation of ${collection} refers to ${target}`
  if (!field || !relation) return `names "${path}", which is not a relation of ${collection}. ${advice}`
  const targets = getTargets(relation)
  if (!targets.includes(target))
    return `names ${collection}.${path}, which refers to ${targets.join(' and ')}, not to ${target}. ${advice}`
  return isFilterable(fields, path)
    ? undefined
    : `names ${collection}.${path}, which has no index to find entries by. ${UNINDEXED}`
}

const UNINDEXED = 'Leave index: false out there, and localized if it has many values'

/** Returns true if filters find entries by the relation. The table of members has no locales. */
function isFilterable(fields: Fields, path: string): boolean {
  const fieldsOnPath = path.split('.').map((_, index, keys) => findField(fields, keys.slice(0, index + 1).join('.')))
  const { type, options } = fieldsOnPath.at(-1) as Field
  const relation = type.relation?.(options)
  if (type.scalar?.(options) !== undefined || (relation?.isIndexed && !relation.many)) return true
  return type.isMany?.(options) === true && fieldsOnPath.every((field) => field?.options.localized !== true)
}

const reverse: FieldType<ReverseOptions & { readonly through: string }> = {
  name: 'reverse',
  rules: {
    label: COMMON_RULES.label,
    admin: COMMON_RULES.admin,
    description: COMMON_RULES.description,
    access: readRule,
    through: () => undefined,
  },
  check({ through }, place, report) {
    const fault = findRelationFault(through, place)
    if (fault) report.add(place.path, fault)
  },
  schema: ({ through }): JsonSchema => {
    const { collection = '' } = parseName(through) ?? {}
    return {
      type: 'object',
      description: `Entries of ${collection} that refer to this one.`,
      [LISTS_KEYWORD]: collection,
    }
  },
  accepts: () => false,
  reverse: ({ through }) => parseName(through),
}

type Reversed<Through> = { readonly through: Through; readonly '~filled'?: true }

/**
 * The entries whose relation refers to this one. It stores nothing: with `include`, its value is one page of a list of those entries, which
 * `reverse[…]` pages and sorts; otherwise it is absent. Only at the top level of a collection.
 *
 * @param through the collection and its relation, such as `'posts.author'`
 */
export function reverseField<const Through extends string, const O extends ReverseOptions = Record<never, never>>(
  through: Through,
  options?: Exactly<O, ReverseOptions>,
): Field<undefined, NoInfer<O> & Reversed<Through>, unknown> {
  return makeField(reverse, { ...options, through } as unknown as O & Reversed<Through>)
}
