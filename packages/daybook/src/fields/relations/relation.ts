import { isUuidShaped } from '../../slugs.ts'
import type {
  CommonOptions,
  CountedOptions,
  FaultReport,
  FieldPlace,
  FieldType,
  JsonSchema,
  OptionRule,
  Reference,
} from '../field.ts'
import { COUNTED_ANSWERS, checkCounted, isRecord } from '../field.ts'
import { aFlag, COMMON_RULES, COUNTED_RULES, isKey, SCALAR_RULES } from '../rules.ts'

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
  many: aFlag,
  onDelete: anOnDelete,
  index: SCALAR_RULES.index,
  formerTo: aFormerTo,
  ...COUNTED_RULES,
}

/** Faults of the options that relations to one and to several collections share. */
export function checkRelation(options: RelationOptions, place: FieldPlace, report: FaultReport): void {
  if (place.guarded && onDeleteOf(options) === 'restrict') {
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
export const onDeleteOf = ({ onDelete, required }: RelationOptions): 'unset' | 'restrict' =>
  onDelete ?? (required ? 'restrict' : 'unset')

const ids = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'string')

const isId = (value: unknown): boolean => typeof value === 'string' && isUuidShaped(value)

/** The id in a reference to several collections that leads to this one. */
const idOf = (reference: unknown, to: string): string | undefined =>
  isRecord(reference) && reference.collection === to && isId(reference.id) ? String(reference.id) : undefined

/** The schema of an id of one collection, or of a list of them. */
export function idSchema(to: string, many = false): JsonSchema {
  const one = { type: 'string', format: 'uuid', description: `Id of an entry of ${to}.`, [REFERS_TO]: to }
  return many ? { type: 'array', items: one, uniqueItems: true, maxItems: MAX_REFERENCES } : one
}

/** The references to one collection that a value holds. */
export const idReferences = (collection: string, value: unknown): readonly Reference[] =>
  ids(value).map((id) => ({ collection, id }))

/** What holds for every field whose references are ids. */
export const ID_ANSWERS: Pick<
  FieldType<Pick<RelationOptions, 'many' | 'index' | 'counted'>>,
  'accepts' | 'empty' | 'canonical' | 'isCounted' | 'isMany' | 'scalar' | 'fromQuery' | 'filterSchema'
> = {
  accepts: (value, { many }) => (many ? Array.isArray(value) && value.every(isId) : isId(value)),
  empty: ({ many }) => (many ? [] : null),
  canonical: (value) =>
    Array.isArray(value) ? [...new Set(value.map((id) => String(id).toLowerCase()))] : String(value).toLowerCase(),
  ...COUNTED_ANSWERS,
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
  schema: ({ to, many }) => idSchema(to, many),
  adopt(value, { to, many, formerTo }) {
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
  relation: (options) => ({ to: options.to, many: options.many === true, onDelete: onDeleteOf(options) }),
  ...ID_ANSWERS,
  references: (value, { to }) => idReferences(to, value),
}
