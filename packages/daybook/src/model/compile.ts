import { createHash } from 'node:crypto'
import { assembleConfig, freezeConfig } from '../config/assemble.ts'
import { DEFAULT_KEEP_DELETED_DAYS } from '../config/assets.ts'
import { ConfigError, checkConfig } from '../config/check-config.ts'
import type { CollectionConfig, DaybookConfig, GlobalConfig, LocalesConfig } from '../config/config.ts'
import { compilePath } from '../entry-path.ts'
import { ASSETS } from '../fields/asset.ts'
import {
  type Field,
  type Fields,
  getTargets,
  holdsLocalized,
  ITEM_KEY,
  innerFields,
  isRecord,
  isRequired,
  isStored,
  type JsonSchema,
  servedKeys,
} from '../fields/field.ts'
import { RANK, RANK_FIELD } from '../fields/rank.ts'
import { DRAFT_KEYS } from '../fields/status.ts'
import type { DocumentValidator } from '../fields/validation.ts'
import { createAssetCollection, SERVICE_MADE_ASSET_KEYS } from './asset-collection.ts'
import { checkValues } from './check-values.ts'
import {
  compileCompoundIndex,
  findFilterableFields,
  findMultiValuedFields,
  findSearchFilters,
  findSortKeys,
  findUniqueIndexes,
  type PlacedField,
  placeFields,
} from './filterable-fields.ts'
import {
  type CollectionModel,
  type DocumentModel,
  type FieldModel,
  findTitleKeys,
  type GlobalModel,
  type LocalesModel,
  type Model,
  type RelationModel,
  type ReverseModel,
} from './model.ts'
import { createDocumentSchema, type SchemaSide, type ServiceParts } from './schema.ts'
import { Validators } from './validator.ts'

/** The default maximum number of entries on a page. */
export const DEFAULT_MAX_LIMIT = 100

const UUID_SCHEMA: JsonSchema = { type: 'string', format: 'uuid', readOnly: true }
const TIME_SCHEMA: JsonSchema = { type: 'string', format: 'date-time', readOnly: true }

/**
 * Compiles a config into the frozen model that all other code reads.
 *
 * @throws {ConfigError} with all faults
 */
export function compileModel(originalConfig: DaybookConfig): Model {
  const {
    config: assembledConfig,
    plugins,
    contributors,
    faults: pluginFaults,
    locate,
  } = assembleConfig(originalConfig)
  const config = bindFields(assembledConfig)
  const faults = [...pluginFaults, ...[...checkConfig(config), ...checkValues(config)].map(locate)]
  if (faults.length > 0) throw new ConfigError(faults)
  freezeConfig(config, plugins)
  const locales = compileLocales(config.locales)
  const configs = { ...config.collections, [ASSETS]: createAssetCollection(config.assets, locales !== undefined) }
  const { keepDeletedDays = DEFAULT_KEEP_DELETED_DAYS } = config.assets ?? {}
  const collections = Object.entries(configs).map(([key, collection]) =>
    compileCollection(key, collection, { locales, collections: configs, keepDeletedDays }),
  )
  const globals = Object.entries(config.globals ?? {}).map(([key, global]) => compileGlobal(key, global))
  return Object.freeze({
    collections: new Map(collections.map((collection) => [collection.key, collection])),
    globals: new Map(globals.map((global) => [global.key, global])),
    locales,
    byLocale: new Map(
      (locales?.available ?? []).map((locale) => [locale, compileLocaleCollections(collections, locale)]),
    ),
    hasFieldRules: collections.some(
      ({ guarded, authorRule }) => guarded.length > 0 || typeof authorRule === 'function',
    ),
    hasReadRules: [...collections, ...globals].some(
      ({ access, guarded, authorRule }) =>
        access.read !== undefined || guarded.length > 0 || typeof authorRule === 'function',
    ),
    restricted: collections.filter(({ access }) => access.read !== undefined),
    restrictedForSessions: collections.filter(
      ({ access, status }) => access.read !== undefined || (status && (access.draft ?? access.update) !== undefined),
    ),
    plugins,
    contributors,
  })
}

/** Replaces fields by those that know their collection. An invalid part stays unchanged, so that the checks report it. */
function bindFields(config: DaybookConfig): DaybookConfig {
  if (!isRecord(config) || !isRecord(config.collections)) return config
  const bind = ([key, collection]: [string, CollectionConfig]): [string, CollectionConfig] => {
    if (!isRecord(collection) || !isRecord(collection.fields)) return [key, collection]
    const fields = Object.entries(collection.fields as Fields)
    if (!fields.some(([, field]) => field?.type?.inCollection)) return [key, collection]
    const bound = fields.map(([name, field]) => [name, field?.type?.inCollection?.(field.options, key) ?? field])
    return [key, { ...collection, fields: Object.fromEntries(bound) }]
  }
  return { ...config, collections: Object.fromEntries(Object.entries(config.collections).map(bind)) }
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
  return new Map(collections.map((collection) => [collection.key, collection.byLocale.get(locale) ?? collection]))
}

/** Compiles the collection for each locale whose documents are not those of the collection's own table. */
function compileByLocale(
  collection: CollectionModel,
  placed: readonly PlacedField[],
  locales: LocalesModel | undefined,
): CollectionModel['byLocale'] {
  if (!locales || collection.localized.size === 0) return new Map()
  const separate = [...locales.chains].filter(([locale, chain]) => locale !== locales.default || chain.length > 1)
  return new Map(
    separate.map(([locale, chain]) => {
      const schemaHash = digestOutline([collection.schemaHash, locales.default, chain])
      const table = `${collection.key}$${locale}`
      const sortKeys = findSortKeys(placed, locale)
      return [locale, Object.freeze({ ...collection, table, sortKeys, schemaHash, ...createEtagParts(schemaHash) })]
    }),
  )
}

/** Returns a short digest of an outline of fields. */
const digestOutline = (outline: unknown): string =>
  createHash('sha256').update(JSON.stringify(outline)).digest('base64url').slice(0, 10)

const createEtagParts = (schemaHash: string): Pick<DocumentModel, 'etagPart' | 'etagPartWithAuthors'> => ({
  etagPart: digestOutline([schemaHash]).slice(0, 8),
  etagPartWithAuthors: digestOutline([schemaHash, 'people']).slice(0, 8),
})

const DAY_MS = 24 * 60 * 60 * 1000

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
  const stored = storedFields(withRank(config))
  const fields = Object.entries(stored)
  const slugField = fields.find(([, field]) => field.type.role === 'slug')
  const slug = slugField && { key: slugField[0], from: slugField[1].type.source?.(slugField[1].options) }
  const status = fields.find(([, field]) => field.type.role === 'status')
  const { read, draft, create, update, delete: remove } = config.access ?? {}
  const placed = placeFields(stored)
  const filterableFields = findFilterableFields(placed)
  const multiValuedFields = findMultiValuedFields(placed)
  const document = compileDocument(
    key,
    config,
    { before: { id: UUID_SCHEMA }, after: { createdAt: TIME_SCHEMA, updatedAt: TIME_SCHEMA } },
    compileReverses(key, config.fields, collections),
  )
  const model: CollectionModel = {
    kind: 'collection',
    table: key,
    byLocale: new Map(),
    ...document,
    ignoredKeys: status ? new Set([...document.ignoredKeys, ...DRAFT_KEYS]) : document.ignoredKeys,
    singularLabel: config.singularLabel,
    maxLimit: config.maxLimit ?? DEFAULT_MAX_LIMIT,
    holdsFiles: key === ASSETS,
    restorableMs: key === ASSETS ? keepDeletedDays * DAY_MS : Number.POSITIVE_INFINITY,
    slug,
    orderable: config.orderable === true,
    paths: config.path === undefined ? [] : compilePath(config.path),
    parent: fields.find(([, field]) => field.type.isParent)?.[0],
    titles: findTitleKeys(document.fields, slug),
    status: status && { key: status[0], values: status[1].type.choices?.(status[1].options) ?? [] },
    filterableFields,
    multiValuedFields,
    counted: [...filterableFields.values(), ...multiValuedFields.values()].filter(({ isCounted }) => isCounted),
    searchFilters: findSearchFilters(filterableFields.values()),
    indexes: [...filterableFields.values()].filter(({ column }) => column === undefined),
    uniqueIndexes: findUniqueIndexes(stored, locales),
    compoundIndexes: (config.indexes ?? []).map((keys) => compileCompoundIndex(keys, filterableFields)),
    sortKeys: findSortKeys(placed, locales?.default ?? 'und'),
    searchable: fields
      .filter(([, field]) => hasSearchableWords(field))
      .map(([fieldKey, { type, options }]) => ({ key: fieldKey, weight: type.search?.(options)?.weight ?? 1 })),
    access: { read, draft, create, update, delete: remove },
  }
  return Object.freeze({ ...model, byLocale: compileByLocale(model, placed, locales) })
}

function compileGlobal(key: string, config: GlobalConfig): GlobalModel {
  const document = compileDocument(key, config, { before: { key: { const: key } }, after: {} })
  return Object.freeze({
    kind: 'global',
    ...document,
    access: { read: config.access?.read, update: config.access?.update },
  })
}

type SystemSchemas = Omit<ServiceParts, 'serviceMadeKeys'>

function compileDocument(
  key: string,
  config: CollectionConfig | GlobalConfig,
  system: SystemSchemas,
  reverses: readonly ReverseModel[] = [],
): Omit<DocumentModel, 'kind'> {
  const stored = storedFields(withRank(config))
  const fields = Object.entries(stored).map(([fieldKey, field]) => compileField(fieldKey, field))
  const generated = fields.flatMap((field) => field.servedKeys.filter((served) => served !== field.key))
  const serviceMadeKeys =
    key === ASSETS
      ? SERVICE_MADE_ASSET_KEYS
      : new Set(fields.flatMap((field) => (field.field.type.isServiceMade ? [field.key] : [])))
  const localized = new Set(fields.filter(({ field }) => holdsLocalized(field)).map((field) => field.key))
  const hasSlug = fields.some(({ field }) => field.type.role === 'slug')
  const hasAlternates = hasSlug && localized.size > 0 && !Object.hasOwn(config.fields, 'alternates')
  const createSchema = (side: SchemaSide): JsonSchema =>
    createDocumentSchema(stored, side, { ...system, serviceMadeKeys }, reverses, hasAlternates)
  const schemaHash = digestOutline(outline(stored))
  const systemKeys = { before: Object.keys(system.before), after: Object.keys(system.after) }
  return {
    key,
    label: config.label,
    description: config.description,
    form: config.form,
    fields,
    fieldMap: stored,
    reverseFields: new Map(reverses.map((field) => [field.key, field])),
    systemKeys,
    storedKeys: [...systemKeys.before, ...fields.flatMap(({ servedKeys }) => servedKeys), ...systemKeys.after],
    serviceMadeKeys,
    hasAlternates,
    ignoredKeys: new Set([
      ...serviceMadeKeys,
      ...systemKeys.before,
      ...systemKeys.after,
      ...generated,
      ...listKeys(reverses),
      ...(hasAlternates ? ['alternates'] : []),
    ]),
    schemaHash,
    ...createEtagParts(schemaHash),
    schemas: Object.freeze({
      read: createSchema('read'),
      create: createSchema('create'),
      update: createSchema('update'),
      // Created when the first draft is saved. The validator is cached, but not the schema.
      get draft() {
        return createSchema('draft')
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
    authorRule: config.people?.read,
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

/** Returns the fields of a document, and the rank of an orderable collection. */
const withRank = (config: CollectionConfig | GlobalConfig): Fields =>
  'orderable' in config && config.orderable === true ? { ...config.fields, [RANK]: RANK_FIELD } : config.fields

const storedFields = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, field]) => isStored(field)))

const listKeys = (fields: readonly FieldModel[]): readonly string[] => fields.map(({ key }) => key)

function compileReverses(
  target: string,
  fields: Fields,
  collections: DaybookConfig['collections'],
): readonly ReverseModel[] {
  return Object.entries(fields).flatMap(([key, field]): ReverseModel[] => {
    const info = field.type.reverse?.(field.options)
    if (!info) return []
    const { collection: to, path: through } = info
    const [throughOwner = through] = through.split('.')
    const isThroughGuarded = collections[to]?.fields[throughOwner]?.options.access?.read !== undefined
    const place = { path: key, owner: key, to, through, throughOwner, isThroughGuarded, target }
    return [Object.freeze({ kind: 'reverse', ...compileField(key, field), ...place })]
  })
}

/** Outlines the part of fields that decides about the form of stored documents: keys, their order, and their types. */
function outline(fields: Fields): unknown {
  return Object.entries(fields).map(([key, field]) => {
    const schema = field.type.schema(field.options, () => ({}))
    const kind = [schema.type, schema.enum, schema.format]
    const isLocalized = field.options.localized === true
    const { to } = field.type.relation?.(field.options) ?? {}
    // References to a former target collection are invalid values.
    const targets = Array.isArray(to) ? [[...to].sort()] : []
    // A list that was stored before its items had keys gets them in reads.
    const itemKeys = field.type.hasItemKeys?.(field.options) ? [ITEM_KEY] : []
    const inner = innerFields(field).map(outline)
    return [servedKeys(key, field), field.type.name, kind, isLocalized, inner, ...targets, ...itemKeys]
  })
}

type Steps = RelationModel['steps']

/** A field at any depth, with the steps to it. */
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
    return getTargets(relation).map((to) => ({ ...shared, to }))
  })
  return Map.groupBy(relations, ({ path }) => path)
}

/** Lists the fields of a document at any depth. The item of a list has the steps of the list. */
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

/** Returns true if `q` finds words of the field. */
function hasSearchableWords(field: Field): boolean {
  const isSearched = field.type.search?.(field.options) !== undefined
  return isSearched || innerFields(field).some((fields) => Object.values(fields).some(hasSearchableWords))
}
