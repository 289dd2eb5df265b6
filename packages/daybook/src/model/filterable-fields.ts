import { Collation, LOCALE_COLLATION } from '../collation.ts'
import { parseTimestamp, TIMESTAMP_FILTER } from '../fields/date.ts'
import { type Field, type Fields, innerFields, type JsonSchema, type Scalar } from '../fields/field.ts'
import { ID_FILTER } from '../fields/relation.ts'
import { foldText } from '../fold.ts'
import { isUuidShaped } from '../slugs.ts'
import type {
  CompoundIndexModel,
  FilterableField,
  LocalesModel,
  MultiValuedField,
  ReferencePart,
  UniqueIndexModel,
} from './model.ts'

const toId = (text: string): string | undefined => (isUuidShaped(text) ? text.toLowerCase() : undefined)
const ALWAYS = { scalar: 'text', isServiceMade: true, isNeverNull: true, isText: false, isCounted: false } as const

const TIMESTAMP = { isDate: true, fromQuery: parseTimestamp, filterSchema: TIMESTAMP_FILTER } as const

/** The JSON Schemas of the operands of filters where the field's type has none. */
const SCALAR_FILTERS: Readonly<Record<Scalar, JsonSchema>> = {
  text: { type: 'string' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
}

const SYSTEM_COMPARABLES: readonly FilterableField[] = [
  { path: 'id', owner: 'id', column: 'id', fromQuery: toId, filterSchema: ID_FILTER, isDate: false, ...ALWAYS },
  { path: 'createdAt', owner: 'createdAt', column: 'created_at', ...TIMESTAMP, ...ALWAYS },
  { path: 'updatedAt', owner: 'updatedAt', column: 'updated_at', ...TIMESTAMP, ...ALWAYS },
]

/** A field at its dotted path: of the document itself, or inside groups. */
export interface PlacedField {
  readonly path: string
  readonly field: Field
  /** The top-level field that contains the value, and whose `read` rule covers it. */
  readonly owner: string
  /** True if each locale has its own value. */
  readonly isLocalized: boolean
}

/** Lists the fields of a document, and those inside its groups. */
export function placeFields(fields: Fields, group?: PlacedField): readonly PlacedField[] {
  return Object.entries(fields).flatMap(([key, field]) => {
    const placed: PlacedField = {
      path: group ? `${group.path}.${key}` : key,
      field,
      owner: group?.owner ?? key,
      isLocalized: field.options.localized === true || group?.isLocalized === true,
    }
    const inner = field.type.isGroup ? innerFields(field) : []
    return [placed, ...inner.flatMap((innerOfGroup) => placeFields(innerOfGroup, placed))]
  })
}

/** Finds the values that filters and sorts compare, by path. */
export function findFilterableFields(placed: readonly PlacedField[]): ReadonlyMap<string, FilterableField> {
  const scalars = placed.flatMap(({ path, field, owner, isLocalized }): FilterableField[] => {
    const { type, options } = field
    const scalar = type.scalar?.(options)
    if (!scalar) return []
    const column = path === owner ? type.role : undefined
    const to = targetOf(field)
    // No fields lie inside a scalar.
    const { maxLength } = type.schema(options, () => ({}))
    const isText = type.isText === true
    return [
      {
        path,
        scalar,
        owner,
        ...(column ? { column } : {}),
        ...(isText ? { folded: foldedText(path, owner) } : {}),
        ...(to === undefined ? {} : { to }),
        ...(typeof maxLength === 'number' ? { maxLength } : {}),
        isServiceMade: false,
        isNeverNull: column !== undefined && !isLocalized,
        isText,
        isDate: type.isDate === true,
        isCounted: !isLocalized && type.isCounted?.(options) === true,
        fromQuery: (text) => type.fromQuery?.(text, options),
        filterSchema: type.filterSchema?.(options) ?? SCALAR_FILTERS[scalar],
      },
    ]
  })
  const parts = placed
    .filter(({ field: { type, options } }) => !type.isMany?.(options))
    .flatMap((field) => partsOf(field).map((part) => toComparable(part, field.owner)))
  return new Map([...SYSTEM_COMPARABLES, ...scalars, ...parts].map((comparable) => [comparable.path, comparable]))
}

/** The version of {@link foldText}. Another one folds stored texts again. */
const FOLDING = '1'

/** Finds the sort keys of the text fields that have a collation. */
export function findSortKeys(placed: readonly PlacedField[], locale: string): ReadonlyMap<string, FilterableField> {
  const collations = new Map<string, Collation>()
  return new Map(
    placed.flatMap(({ path, owner, field: { type, options } }) => {
      const option = type.collation?.(options)
      if (option === undefined) return []
      const language = option === LOCALE_COLLATION ? locale : option
      const collation = collations.get(language) ?? new Collation(language)
      collations.set(language, collation)
      const member = `${path}$sorted`
      const derive = (text: string): string => collation.sortKey(text)
      const derived = { path, member, version: `${language} ${process.versions.icu}`, derive }
      return [
        [path, { ...foldedText(path, owner), path: member, derived, maxLength: Number.POSITIVE_INFINITY }] as const,
      ]
    }),
  )
}

/** A text with case and accents folded. No name of a field has a dollar sign. */
const foldedText = (path: string, owner: string): FilterableField => ({
  path: `${path}$folded`,
  derived: { path, member: path, version: FOLDING, derive: foldText },
  scalar: 'text',
  owner,
  isServiceMade: false,
  isNeverNull: false,
  isText: true,
  isDate: false,
  isCounted: false,
  fromQuery: foldText,
  filterSchema: SCALAR_FILTERS.text,
})

/** The collection whose ids a field holds; `undefined`: it holds none, or names several. */
function targetOf({ type, options }: Field): string | undefined {
  const to = type.relation?.(options).to
  return typeof to === 'string' ? to : undefined
}

/** The parts of references that filters compare, where references name their collection. */
function partsOf({ path, field }: Pick<PlacedField, 'path' | 'field'>): readonly ReferencePart[] {
  const relation = field.type.relation?.(field.options)
  if (!relation?.isIndexed || typeof relation.to === 'string') return []
  const targets = relation.to
  return PARTS.map((name) => ({ name, relation: path, targets }))
}

const PARTS: readonly ReferencePart['name'][] = ['collection', 'id']

/** The comparison of filters with a part of a reference. */
function comparedAs(part: ReferencePart): Pick<FilterableField, 'path' | 'part' | 'fromQuery' | 'filterSchema'> {
  const { name, relation, targets } = part
  const path = `${relation}.${name}`
  if (name === 'id') return { path, part, fromQuery: toId, filterSchema: ID_FILTER }
  const fromQuery = (text: string): string | undefined => (targets.includes(text) ? text : undefined)
  return { path, part, fromQuery, filterSchema: { type: 'string', enum: targets } }
}

const toComparable = (part: ReferencePart, owner: string): FilterableField => ({
  ...comparedAs(part),
  scalar: 'text',
  owner,
  isServiceMade: false,
  isNeverNull: false,
  isText: false,
  isDate: false,
  isCounted: false,
})

/** Finds the fields whose single members filters compare, by path. */
export function findMultiValuedFields(placed: readonly PlacedField[]): ReadonlyMap<string, MultiValuedField> {
  const fields = placed.flatMap(({ path, field, owner, isLocalized }): MultiValuedField[] => {
    const { type, options } = field
    const to = targetOf(field)
    const member = type.item?.(options) ?? field
    const { fromQuery } = member.type
    // The tables of members have no locales.
    if (!type.isMany?.(options) || isLocalized) return []
    const accepts = (value: unknown): boolean => type.accepts(value, options)
    const shared = { owner, isCounted: type.isCounted?.(options) === true, accepts }
    const parts = partsOf({ path, field })
    if (parts.length > 0) return parts.map((part) => ({ ...shared, ...comparedAs(part), scalar: 'text' }))
    if (!fromQuery) return []
    const scalar = member.type.scalar?.(member.options) ?? 'text'
    return [
      {
        ...shared,
        path,
        scalar,
        fromQuery: (text) => fromQuery(text, member.options),
        filterSchema: member.type.filterSchema?.(member.options) ?? SCALAR_FILTERS[scalar],
        ...(to === undefined ? {} : { to }),
      },
    ]
  })
  return new Map(fields.map((field) => [field.path, field]))
}

/** Finds the unique values of a collection. A field without an index for filters may be unique all the same. */
export function findUniqueIndexes(fields: Fields, locales: LocalesModel | undefined): readonly UniqueIndexModel[] {
  return Object.entries(fields).flatMap(([path, { type, options }]): UniqueIndexModel[] => {
    const scalar = type.scalar?.({ ...options, index: true })
    if (!scalar || !type.isUnique?.(options)) return []
    const value = { path, scalar, isUniqueInAnyCase: type.isUniqueInAnyCase === true }
    if (!locales || !options.localized) return [{ ...value, isTranslated: false }]
    return locales.available.map((locale) => ({ ...value, locale, isTranslated: locale !== locales.default }))
  })
}

/** @param keys the paths of the index, those that descend behind a hyphen */
export function compileCompoundIndex(
  keys: readonly string[],
  comparables: ReadonlyMap<string, FilterableField>,
): CompoundIndexModel {
  const parts = keys.flatMap((key) => {
    const by = comparables.get(key.replace(/^-/, ''))
    return by ? [{ by, descending: key.startsWith('-') }] : []
  })
  return Object.freeze({ name: keys.join(), keys: parts })
}

/** The maximum number of fields whose values are in the search index: they take a twentieth of the space of an entry there. */
const MAX_FACETS = 64
/** The maximum length of texts that repeat often enough to be worth a facet, in characters. */
export const MAX_SEARCH_FILTER_LENGTH = 64

const isFacet = ({
  column,
  part,
  scalar,
  isDate,
  isText,
  maxLength = Number.POSITIVE_INFINITY,
}: FilterableField): boolean =>
  !column && !part && !isDate && scalar !== 'number' && (!isText || maxLength <= MAX_SEARCH_FILTER_LENGTH)

/** Finds the fields by whose values a search can be narrowed. */
export const findSearchFilters = (comparables: Iterable<FilterableField>): readonly FilterableField[] =>
  [...comparables].filter(isFacet).slice(0, MAX_FACETS)
