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
const SYSTEM_FIELD = {
  scalar: 'text',
  isServiceMade: true,
  isNeverNull: true,
  isText: false,
  isCounted: false,
} as const

const TIMESTAMP = { isDate: true, fromQuery: parseTimestamp, filterSchema: TIMESTAMP_FILTER } as const

/** The default JSON Schemas of operands of filters. */
const SCALAR_FILTERS: Readonly<Record<Scalar, JsonSchema>> = {
  text: { type: 'string' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
}

const SYSTEM_FIELDS: readonly FilterableField[] = [
  { path: 'id', owner: 'id', column: 'id', fromQuery: toId, filterSchema: ID_FILTER, isDate: false, ...SYSTEM_FIELD },
  { path: 'createdAt', owner: 'createdAt', column: 'created_at', ...TIMESTAMP, ...SYSTEM_FIELD },
  { path: 'updatedAt', owner: 'updatedAt', column: 'updated_at', ...TIMESTAMP, ...SYSTEM_FIELD },
]

/** A field with its dotted path, at the top level or inside groups. */
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

/** Finds the fields that can be filtered and sorted, by path. */
export function findFilterableFields(placed: readonly PlacedField[]): ReadonlyMap<string, FilterableField> {
  const scalars = placed.flatMap(({ path, field, owner, isLocalized }): FilterableField[] => {
    const { type, options } = field
    const scalar = type.scalar?.(options)
    if (!scalar) return []
    const column = path === owner ? type.role : undefined
    const to = findTarget(field)
    // A scalar has no inner fields.
    const { maxLength } = type.schema(options, () => ({}))
    const isText = type.isText === true
    return [
      {
        path,
        scalar,
        owner,
        ...(column ? { column } : {}),
        ...(isText ? { folded: createFoldedText(path, owner) } : {}),
        ...(to === undefined ? {} : { to }),
        ...(typeof maxLength === 'number' ? { maxLength } : {}),
        isServiceMade: type.isServiceMade === true,
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
    .flatMap((field) => listParts(field).map((part) => toFilterableField(part, field.owner)))
  return new Map([...SYSTEM_FIELDS, ...scalars, ...parts].map((field) => [field.path, field]))
}

/** The version of {@link foldText}. A change folds stored texts again. */
const FOLDING = '1'

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
        [
          path,
          { ...createFoldedText(path, owner), path: member, derived, maxLength: Number.POSITIVE_INFINITY },
        ] as const,
      ]
    }),
  )
}

/** Creates the folded form of a text field. Keys of fields cannot contain a dollar sign. */
const createFoldedText = (path: string, owner: string): FilterableField => ({
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

/** Returns the target collection of a field with ids, or `undefined` for several targets or another field. */
function findTarget({ type, options }: Field): string | undefined {
  const to = type.relation?.(options).to
  return typeof to === 'string' ? to : undefined
}

function listParts({ path, field }: Pick<PlacedField, 'path' | 'field'>): readonly ReferencePart[] {
  const relation = field.type.relation?.(field.options)
  if (!relation?.isIndexed || typeof relation.to === 'string') return []
  const targets = relation.to
  return PARTS.map((name) => ({ name, relation: path, targets }))
}

const PARTS: readonly ReferencePart['name'][] = ['collection', 'id']

/** Creates the filter members for a part of a reference. */
function createPartFilter(part: ReferencePart): Pick<FilterableField, 'path' | 'part' | 'fromQuery' | 'filterSchema'> {
  const { name, relation, targets } = part
  const path = `${relation}.${name}`
  if (name === 'id') return { path, part, fromQuery: toId, filterSchema: ID_FILTER }
  const fromQuery = (text: string): string | undefined => (targets.includes(text) ? text : undefined)
  return { path, part, fromQuery, filterSchema: { type: 'string', enum: targets } }
}

const toFilterableField = (part: ReferencePart, owner: string): FilterableField => ({
  ...createPartFilter(part),
  scalar: 'text',
  owner,
  isServiceMade: false,
  isNeverNull: false,
  isText: false,
  isDate: false,
  isCounted: false,
})

/** Finds the fields whose members can be filtered, by path. */
export function findMultiValuedFields(placed: readonly PlacedField[]): ReadonlyMap<string, MultiValuedField> {
  const fields = placed.flatMap(({ path, field, owner, isLocalized }): MultiValuedField[] => {
    const { type, options } = field
    const to = findTarget(field)
    const member = type.item?.(options) ?? field
    const { fromQuery } = member.type
    // The table of members has no locales.
    if (!type.isMany?.(options) || isLocalized) return []
    const accepts = (value: unknown): boolean => type.accepts(value, options)
    const shared = { owner, isCounted: type.isCounted?.(options) === true, accepts }
    const parts = listParts({ path, field })
    if (parts.length > 0) return parts.map((part) => ({ ...shared, ...createPartFilter(part), scalar: 'text' }))
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

/** Finds the unique fields of a collection. A field without an index for filters may be unique, too. */
export function findUniqueIndexes(fields: Fields, locales: LocalesModel | undefined): readonly UniqueIndexModel[] {
  return Object.entries(fields).flatMap(([path, { type, options }]): UniqueIndexModel[] => {
    const scalar = type.scalar?.({ ...options, index: true })
    if (!scalar || !type.isUnique?.(options)) return []
    const value = { path, scalar, isUniqueInAnyCase: type.isUniqueInAnyCase === true }
    if (!locales || !options.localized) return [{ ...value, isTranslated: false }]
    return locales.available.map((locale) => ({ ...value, locale, isTranslated: locale !== locales.default }))
  })
}

/** @param keys the paths of the index, with a hyphen before descending ones */
export function compileCompoundIndex(
  keys: readonly string[],
  filterable: ReadonlyMap<string, FilterableField>,
): CompoundIndexModel {
  const parts = keys.flatMap((key) => {
    const by = filterable.get(key.replace(/^-/, ''))
    return by ? [{ by, descending: key.startsWith('-') }] : []
  })
  return Object.freeze({ name: keys.join(), keys: parts })
}

/** The maximum number of fields whose values are in the search index, which take a twentieth of the space of an entry there. */
const MAX_SEARCH_FILTERS = 64
/** The maximum length of texts that repeat often enough for a search filter, in characters. */
export const MAX_SEARCH_FILTER_LENGTH = 64

const isSearchFilter = ({
  column,
  part,
  scalar,
  isDate,
  isText,
  isServiceMade,
  maxLength = Number.POSITIVE_INFINITY,
}: FilterableField): boolean =>
  !column &&
  !part &&
  !isDate &&
  !isServiceMade &&
  scalar !== 'number' &&
  (!isText || maxLength <= MAX_SEARCH_FILTER_LENGTH)

/** Finds the fields by which a search can be filtered in its index. */
export const findSearchFilters = (filterable: Iterable<FilterableField>): readonly FilterableField[] =>
  [...filterable].filter(isSearchFilter).slice(0, MAX_SEARCH_FILTERS)
