import { createHash } from 'node:crypto'
import { Collation, LOCALE_COLLATION } from '../collation.ts'
import { assembleConfig } from '../config/assemble.ts'
import { DEFAULT_KEEP_DELETED_DAYS } from '../config/assets.ts'
import { ConfigError, type ConfigFault, checkConfig } from '../config/check.ts'
import type { CollectionConfig, DaybookConfig, GlobalConfig, LocalesConfig } from '../config/config.ts'
import { freezeConfig } from '../config/freeze.ts'
import { parseTimestamp, TIMESTAMP_FILTER } from '../fields/date.ts'
import type { Field, Fields, JsonSchema, Scalar } from '../fields/field.ts'
import {
  holdsLocalized,
  ITEM_KEY,
  innerFields,
  isRecord,
  isRequired,
  isStored,
  servedKeys,
  targetsOf,
} from '../fields/field.ts'
import { ASSETS } from '../fields/relations/asset.ts'
import { ID_FILTER } from '../fields/relations/relation.ts'
import { DRAFT_KEYS } from '../fields/status.ts'
import type { DocumentValidator } from '../fields/validation.ts'
import { foldText } from '../fold.ts'
import { isUuidShaped } from '../slugs.ts'
import { assetCollection, MADE_ASSET_FIELDS } from './asset-collection.ts'
import { facetsAmong } from './facets.ts'
import type {
  CollectionModel,
  Comparable,
  CompoundIndexModel,
  DocumentModel,
  FieldModel,
  GlobalModel,
  LocalesModel,
  ManyValued,
  Model,
  ReferencePart,
  RelationModel,
  ReverseModel,
  UniqueIndexModel,
} from './model.ts'
import { documentSchema, nestWritten, type SchemaSide, type ServiceParts } from './schema.ts'
import { schemaFault } from './schema-fault.ts'
import { titleKeys } from './titles.ts'
import { Validators } from './validator.ts'

/** The most entries on one page where a collection does not say. */
export const DEFAULT_MAX_LIMIT = 100

const UUID_SCHEMA: JsonSchema = { type: 'string', format: 'uuid', readOnly: true }
const TIME_SCHEMA: JsonSchema = { type: 'string', format: 'date-time', readOnly: true }

/**
 * Compiles a config into the frozen model that everything else reads.
 *
 * @throws {ConfigError} with every fault at once
 */
export function compileModel(given: DaybookConfig): Model {
  const { config, plugins, contributors, faults: ownFaults, locate } = assembleConfig(given)
  const faults = [...ownFaults, ...[...checkConfig(config), ...checkValues(config)].map(locate)]
  if (faults.length > 0) throw new ConfigError(faults)
  freezeConfig(config, plugins)
  const locales = compileLocales(config.locales)
  const configs = { ...config.collections, [ASSETS]: assetCollection(config.assets, locales !== undefined) }
  const { keepDeletedDays = DEFAULT_KEEP_DELETED_DAYS } = config.assets ?? {}
  const collections = Object.entries(configs).map(([key, one]) =>
    compileCollection(key, one, { locales, collections: configs, keepDeletedDays }),
  )
  const globals = Object.entries(config.globals ?? {}).map(([key, one]) => compileGlobal(key, one))
  return Object.freeze({
    collections: new Map(collections.map((one) => [one.key, one])),
    globals: new Map(globals.map((one) => [one.key, one])),
    locales,
    byLocale: new Map(
      (locales?.available ?? []).map((locale) => [locale, compileLocaleCollections(collections, locale)]),
    ),
    hasFieldRules: collections.some(
      ({ guarded, peopleRule }) => guarded.length > 0 || typeof peopleRule === 'function',
    ),
    hasReadRules: [...collections, ...globals].some(
      ({ access, guarded, peopleRule }) =>
        access.read !== undefined || guarded.length > 0 || typeof peopleRule === 'function',
    ),
    restricted: collections.filter(({ access }) => access.read !== undefined),
    restrictedForSessions: collections.filter(
      ({ access, status }) => access.read !== undefined || (status && (access.draft ?? access.update) !== undefined),
    ),
    plugins,
    contributors,
  })
}

function compileLocales(config: LocalesConfig | undefined): LocalesModel | undefined {
  if (!config) return undefined
  const { available, fallback = {} } = config
  const chains = new Map(available.map((locale) => [locale, [locale, ...(fallback[locale] ?? [])]]))
  return Object.freeze({ default: config.default, available, chains })
}

function compileLocaleCollections(
  collections: readonly CollectionModel[],
  locale: string,
): ReadonlyMap<string, CollectionModel> {
  return new Map(collections.map((one) => [one.key, one.byLocale.get(locale) ?? one]))
}

/** The collection as each locale shows it whose answers are not those of the collection's own table. */
function compileByLocale(
  collection: CollectionModel,
  placed: readonly PlacedField[],
  locales: LocalesModel | undefined,
): CollectionModel['byLocale'] {
  if (!locales || collection.localized.size === 0) return new Map()
  const shown = [...locales.chains].filter(([locale, chain]) => locale !== locales.default || chain.length > 1)
  return new Map(
    shown.map(([locale, chain]) => {
      const schemaHash = digestOutline([collection.schemaHash, locales.default, chain])
      const table = `${collection.key}$${locale}`
      const sortKeys = findSortKeys(placed, locale)
      return [locale, Object.freeze({ ...collection, table, sortKeys, schemaHash, ...variantsOf(schemaHash) })]
    }),
  )
}

/** A short name for how documents are written. */
const digestOutline = (outlined: unknown): string =>
  createHash('sha256').update(JSON.stringify(outlined)).digest('base64url').slice(0, 10)

const variantsOf = (schemaHash: string): Pick<DocumentModel, 'wholeVariant' | 'peopleVariant'> => ({
  wholeVariant: digestOutline([schemaHash]).slice(0, 8),
  peopleVariant: digestOutline([schemaHash, 'people']).slice(0, 8),
})

const DAY_MS = 24 * 60 * 60 * 1000

/** What a collection is compiled among. */
interface Surroundings {
  readonly locales: LocalesModel | undefined
  readonly collections: DaybookConfig['collections']
  /** The number of days for which the bytes of deleted files are kept. */
  readonly keepDeletedDays: number
}

function compileCollection(
  key: string,
  config: CollectionConfig,
  { locales, collections, keepDeletedDays }: Surroundings,
): CollectionModel {
  const stored = storedFields(config.fields)
  const fields = Object.entries(stored)
  const slugField = fields.find(([, field]) => field.type.role === 'slug')
  const slug = slugField && { key: slugField[0], from: slugField[1].type.source?.(slugField[1].options) }
  const status = fields.find(([, field]) => field.type.role === 'status')
  const { read, draft, create, update, delete: remove } = config.access ?? {}
  const placed = placedFields(stored)
  const comparables = findComparables(placed)
  const manyValued = findManyValued(placed)
  const document = compileDocument(
    key,
    config,
    { before: { id: UUID_SCHEMA }, after: { createdAt: TIME_SCHEMA, updatedAt: TIME_SCHEMA } },
    compileReverses(key, config.fields, collections),
  )
  const own: CollectionModel = {
    kind: 'collection',
    table: key,
    byLocale: new Map(),
    ...document,
    ignoredKeys: status ? new Set([...document.ignoredKeys, ...DRAFT_KEYS]) : document.ignoredKeys,
    maxLimit: config.maxLimit ?? DEFAULT_MAX_LIMIT,
    holdsFiles: key === ASSETS,
    restorableMs: key === ASSETS ? keepDeletedDays * DAY_MS : Number.POSITIVE_INFINITY,
    slug,
    titles: titleKeys(document.fields, slug),
    status: status && { key: status[0], values: status[1].type.choices?.(status[1].options) ?? [] },
    comparables,
    manyValued,
    counted: [...comparables.values(), ...manyValued.values()].filter(({ isCounted }) => isCounted),
    facets: facetsAmong(comparables.values()),
    indexes: [...comparables.values()].filter(({ column }) => column === undefined),
    uniqueIndexes: findUniqueIndexes(stored, locales),
    compoundIndexes: (config.indexes ?? []).map((keys) => compileCompoundIndex(keys, comparables)),
    sortKeys: findSortKeys(placed, locales?.default ?? 'und'),
    searchable: fields
      .filter(([, field]) => holdsWords(field))
      .map(([fieldKey, { type, options }]) => ({ key: fieldKey, weight: type.search?.(options)?.weight ?? 1 })),
    access: { read, draft, create, update, delete: remove },
  }
  return Object.freeze({ ...own, byLocale: compileByLocale(own, placed, locales) })
}

function compileGlobal(key: string, config: GlobalConfig): GlobalModel {
  const document = compileDocument(key, config, { before: { key: { const: key } }, after: {} })
  return Object.freeze({
    kind: 'global',
    ...document,
    access: { read: config.access?.read, update: config.access?.update },
  })
}

const NOTHING_MADE: ReadonlySet<string> = new Set()

type SystemSchemas = Omit<ServiceParts, 'made'>

function compileDocument(
  key: string,
  config: CollectionConfig | GlobalConfig,
  system: SystemSchemas,
  reverses: readonly ReverseModel[] = [],
): Omit<DocumentModel, 'kind'> {
  const stored = storedFields(config.fields)
  const fields = Object.entries(stored).map(([fieldKey, field]) => compileField(fieldKey, field))
  const generated = fields.flatMap((field) => field.servedKeys.filter((served) => served !== field.key))
  const made = key === ASSETS ? MADE_ASSET_FIELDS : NOTHING_MADE
  const localized = new Set(fields.filter(({ field }) => holdsLocalized(field)).map((field) => field.key))
  const hasSlug = fields.some(({ field }) => field.type.role === 'slug')
  const hasAlternates = hasSlug && localized.size > 0 && !Object.hasOwn(config.fields, 'alternates')
  const schemaOf = (side: SchemaSide): JsonSchema =>
    documentSchema(stored, side, { ...system, made }, reverses, hasAlternates)
  const schemaHash = digestOutline(outline(stored))
  const systemKeys = { before: Object.keys(system.before), after: Object.keys(system.after) }
  return {
    key,
    description: config.description,
    fields,
    fieldMap: stored,
    reverses: new Map(reverses.map((one) => [one.key, one])),
    systemKeys,
    storedKeys: [...systemKeys.before, ...fields.flatMap(({ servedKeys }) => servedKeys), ...systemKeys.after],
    made,
    hasAlternates,
    ignoredKeys: new Set([
      ...made,
      ...systemKeys.before,
      ...systemKeys.after,
      ...generated,
      ...keysOf(reverses),
      ...(hasAlternates ? ['alternates'] : []),
    ]),
    schemaHash,
    ...variantsOf(schemaHash),
    schemas: Object.freeze({
      read: schemaOf('read'),
      create: schemaOf('create'),
      update: schemaOf('update'),
      // Made when the first working copy is saved: its validator is kept, not this.
      get draft() {
        return schemaOf('draft')
      },
    }),
    validators: new Validators(),
    requireIfMatch: config.requireIfMatch ?? false,
    validate: config.validate as DocumentValidator | undefined,
    relations: compileRelations(stored),
    localized,
    guarded: [
      ...fields.filter((field) => field.access.read !== undefined),
      ...reverses.filter(({ access, isThroughGuarded }) => access.read !== undefined || isThroughGuarded),
    ],
    peopleRule: config.people?.read,
  }
}

function compileField(key: string, field: Field): FieldModel {
  return Object.freeze({
    key,
    field,
    access: field.options.access ?? {},
    servedKeys: servedKeys(key, field),
    required: isRequired(field),
    isContainer: field.type.walk !== undefined,
  })
}

const storedFields = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, field]) => isStored(field)))

const keysOf = (fields: readonly FieldModel[]): readonly string[] => fields.map(({ key }) => key)

function compileReverses(
  target: string,
  fields: Fields,
  collections: DaybookConfig['collections'],
): readonly ReverseModel[] {
  return Object.entries(fields).flatMap(([key, field]): ReverseModel[] => {
    const facts = field.type.reverse?.(field.options)
    if (!facts) return []
    const { collection: to, path: through } = facts
    const [throughOwner = through] = through.split('.')
    const isThroughGuarded = collections[to]?.fields[throughOwner]?.options.access?.read !== undefined
    const place = { path: key, owner: key, to, through, throughOwner, isThroughGuarded, target }
    return [Object.freeze({ kind: 'reverse', ...compileField(key, field), ...place })]
  })
}

/** What of the fields decides how a document is written down: keys, their order, and their types. */
function outline(fields: Fields): unknown {
  return Object.entries(fields).map(([key, field]) => {
    const schema = field.type.schema(field.options, () => ({}))
    const kind = [schema.type, schema.enum, schema.format]
    const isLocalized = field.options.localized === true
    const { to } = field.type.relation?.(field.options) ?? {}
    // What leads to a collection that the field does not name any more is no value of it.
    const targets = Array.isArray(to) ? [[...to].sort()] : []
    // A list that was stored before its items had keys gets them when it is read.
    const itemKeys = field.type.hasItemKeys?.(field.options) ? [ITEM_KEY] : []
    const inner = innerFields(field).map(outline)
    return [servedKeys(key, field), field.type.name, kind, isLocalized, inner, ...targets, ...itemKeys]
  })
}

const toId = (text: string): string | undefined => (isUuidShaped(text) ? text.toLowerCase() : undefined)
const ALWAYS = { scalar: 'text', isMadeByService: true, neverNull: true, isText: false, isCounted: false } as const

const TIMESTAMP = { isDate: true, fromQuery: parseTimestamp, filterSchema: TIMESTAMP_FILTER } as const

/** What a filter compares with where the field's type does not say. */
const SCALAR_FILTERS: Readonly<Record<Scalar, JsonSchema>> = {
  text: { type: 'string' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
}

const SYSTEM_COMPARABLES: readonly Comparable[] = [
  { path: 'id', owner: 'id', column: 'id', fromQuery: toId, filterSchema: ID_FILTER, isDate: false, ...ALWAYS },
  { path: 'createdAt', owner: 'createdAt', column: 'created_at', ...TIMESTAMP, ...ALWAYS },
  { path: 'updatedAt', owner: 'updatedAt', column: 'updated_at', ...TIMESTAMP, ...ALWAYS },
]

/** A field at its dotted path: of the document itself, or inside groups. */
interface PlacedField {
  readonly path: string
  readonly field: Field
  /** The top-level field that the value lies in, whose `read` rule covers it. */
  readonly owner: string
  /** Whether each locale has its own value. */
  readonly isLocalized: boolean
}

function placedFields(fields: Fields, around?: PlacedField): readonly PlacedField[] {
  return Object.entries(fields).flatMap(([key, field]) => {
    const own: PlacedField = {
      path: around ? `${around.path}.${key}` : key,
      field,
      owner: around?.owner ?? key,
      isLocalized: field.options.localized === true || around?.isLocalized === true,
    }
    const inner = field.type.isGroup ? innerFields(field) : []
    return [own, ...inner.flatMap((one) => placedFields(one, own))]
  })
}

function findComparables(placed: readonly PlacedField[]): ReadonlyMap<string, Comparable> {
  const found = placed.flatMap(({ path, field, owner, isLocalized }): Comparable[] => {
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
        isMadeByService: false,
        neverNull: column !== undefined && !isLocalized,
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
    .flatMap((one) => partsOf(one).map((part) => toComparable(part, one.owner)))
  return new Map([...SYSTEM_COMPARABLES, ...found, ...parts].map((one) => [one.path, one]))
}

/** Differs when {@link foldText} folds otherwise, so that stored texts are folded anew. */
const FOLDING = '1'

/** The sort keys of the text fields that have a collation. */
function findSortKeys(placed: readonly PlacedField[], locale: string): ReadonlyMap<string, Comparable> {
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
const foldedText = (path: string, owner: string): Comparable => ({
  path: `${path}$folded`,
  derived: { path, member: path, version: FOLDING, derive: foldText },
  scalar: 'text',
  owner,
  isMadeByService: false,
  neverNull: false,
  isText: true,
  isDate: false,
  isCounted: false,
  fromQuery: foldText,
  filterSchema: SCALAR_FILTERS.text,
})

/** The collection whose ids a field holds. */
function targetOf({ type, options }: Field): string | undefined {
  const to = type.relation?.(options).to
  return typeof to === 'string' ? to : undefined
}

/** The parts of the references that a filter finds entries by, where they name their collection. */
function partsOf({ path, field }: Pick<PlacedField, 'path' | 'field'>): readonly ReferencePart[] {
  const relation = field.type.relation?.(field.options)
  if (!relation?.isIndexed || typeof relation.to === 'string') return []
  const targets = relation.to
  return PARTS.map((name) => ({ name, relation: path, targets }))
}

const PARTS: readonly ReferencePart['name'][] = ['collection', 'id']

/** How a filter compares a part of a reference. */
function comparedAs(part: ReferencePart): Pick<Comparable, 'path' | 'part' | 'fromQuery' | 'filterSchema'> {
  const { name, relation, targets } = part
  const path = `${relation}.${name}`
  if (name === 'id') return { path, part, fromQuery: toId, filterSchema: ID_FILTER }
  const fromQuery = (text: string): string | undefined => (targets.includes(text) ? text : undefined)
  return { path, part, fromQuery, filterSchema: { type: 'string', enum: targets } }
}

const toComparable = (part: ReferencePart, owner: string): Comparable => ({
  ...comparedAs(part),
  scalar: 'text',
  owner,
  isMadeByService: false,
  neverNull: false,
  isText: false,
  isDate: false,
  isCounted: false,
})

function findManyValued(placed: readonly PlacedField[]): ReadonlyMap<string, ManyValued> {
  const found = placed.flatMap(({ path, field, owner, isLocalized }): ManyValued[] => {
    const { type, options } = field
    const to = targetOf(field)
    const member = type.item?.(options) ?? field
    const { fromQuery } = member.type
    // Their members stand in tables that know no locales.
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
  return new Map(found.map((one) => [one.path, one]))
}

type Steps = RelationModel['steps']

/** A field, however deep it lies, and the way to it. */
interface ReachedField {
  readonly field: Field
  readonly steps: Steps
}

function compileRelations(fields: Fields): ReadonlyMap<string, readonly RelationModel[]> {
  const relations = reachFields(fields, [], undefined).flatMap(({ field, steps }): RelationModel[] => {
    const relation = field.type.relation?.(field.options)
    if (!relation) return []
    const path = steps.map(({ key }) => key).join('.')
    const { many, onDelete } = relation
    const isTagged = typeof relation.to !== 'string'
    const shared = { kind: 'relation', path, steps, owner: steps[0]?.key ?? path, many, onDelete, isTagged } as const
    return targetsOf(relation).map((to) => ({ ...shared, to }))
  })
  return Map.groupBy(relations, ({ path }) => path)
}

/** Every field of a document, however deep. An item of a list is reached as the list is. */
function reachFields(fields: Fields, before: Steps, block: string | undefined): readonly ReachedField[] {
  return Object.entries(fields).flatMap(([key, field]) => {
    const steps = [...before, block === undefined ? { key } : { key, block }]
    return [{ field, steps }, ...reachInside(field, steps, before, block)]
  })
}

function reachInside(
  { type, options }: Field,
  steps: Steps,
  before: Steps,
  block: string | undefined,
): readonly ReachedField[] {
  const item = type.item?.(options)
  if (item) return reachFields({ [steps.at(-1)?.key ?? '']: item }, before, block)
  return (type.inner?.(options) ?? []).flatMap((inner) => reachFields(inner.fields, steps, inner.block))
}

/** The unique values of a collection. A field without an index to search by may be unique all the same. */
function findUniqueIndexes(fields: Fields, locales: LocalesModel | undefined): readonly UniqueIndexModel[] {
  return Object.entries(fields).flatMap(([path, { type, options }]): UniqueIndexModel[] => {
    const scalar = type.scalar?.({ ...options, index: true })
    if (!scalar || !type.isUnique?.(options)) return []
    const value = { path, scalar, isUniqueInAnyCase: type.isUniqueInAnyCase === true }
    if (!locales || !options.localized) return [{ ...value, isTranslated: false }]
    return locales.available.map((locale) => ({ ...value, locale, isTranslated: locale !== locales.default }))
  })
}

function compileCompoundIndex(
  written: readonly string[],
  comparables: ReadonlyMap<string, Comparable>,
): CompoundIndexModel {
  const keys = written.flatMap((key) => {
    const by = comparables.get(key.replace(/^-/, ''))
    return by ? [{ by, descending: key.startsWith('-') }] : []
  })
  return Object.freeze({ name: written.join(), keys })
}

/** Whether a value of this field can hold words that `q` finds. */
function holdsWords(field: Field): boolean {
  const isSearched = field.type.search?.(field.options) !== undefined
  return isSearched || innerFields(field).some((fields) => Object.values(fields).some(holdsWords))
}

/** Faults that need a validator: defaults that their own field refuses, broken JSON Schemas. Looks at fields alone. */
function checkValues(config: unknown): readonly ConfigFault[] {
  const { collections, globals } = (isRecord(config) ? config : {}) as Partial<DaybookConfig>
  return Object.entries({ collections, globals }).flatMap(([kind, documents]) =>
    entriesOf(documents).flatMap(([key, document]) =>
      valueFaults(isRecord(document) ? document.fields : undefined, `${kind}.${key}.fields`),
    ),
  )
}

const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  isRecord(value) ? Object.entries(value) : []

function valueFaults(fields: unknown, path: string): readonly ConfigFault[] {
  return entriesOf(fields).flatMap(([key, field]) => (isField(field) ? faultsInside(field, `${path}.${key}`) : []))
}

const isField = (field: unknown): field is Field => isRecord(field) && isRecord(field.type) && isRecord(field.options)

function faultsInside(field: Field, path: string): readonly ConfigFault[] {
  const { type, options } = field
  const item: unknown = type.item?.(options)
  const inner = type.inner?.(options) ?? []
  return [
    ...checkGivenValues(field, path),
    ...inner.flatMap(({ fields, path: place }) => valueFaults(fields, `${path}.${place}`)),
    ...(isField(item) ? faultsInside(item, `${path}.of`) : []),
  ]
}

function checkGivenValues(field: Field, path: string): readonly ConfigFault[] {
  const { type, options } = field
  const schema = type.ownSchema?.(options)
  const broken = isRecord(schema) ? schemaFault(schema) : undefined
  if (broken) return [{ path: `${path}.schema`, message: `write a JSON Schema (2020-12): ${broken}` }]
  const { default: ownDefault, fill } = options
  // The default that a type has by itself is right: a start without any other makes no validator.
  const values = { default: type.default && ownDefault, fill }
  return Object.entries(values).flatMap(([option, given]) =>
    // What a function makes is looked at when it has made it.
    given === undefined || typeof given === 'function' || (option === 'fill' && type.converter?.(options))
      ? []
      : valueFaultsOf(field, `${path}.${option}`, given),
  )
}

const valueFaultsOf = (field: Field, path: string, value: unknown): readonly ConfigFault[] =>
  valueIssues(field, value).map(({ message }) => ({ path, message: `write a value that the field takes: ${message}` }))

/** What the field says of a value that the config gives; nothing while its other options are wrong, which are named already. */
function valueIssues(field: Field, value: unknown): readonly { readonly message: string }[] {
  try {
    return new Validators().make(field.type.schema(field.options, nestWritten))(value)
  } catch {
    return []
  }
}
