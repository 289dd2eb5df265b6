import type { JsonSchema } from '../../fields/field.ts'
import { AUTHOR_KEYS, AUTHOR_SCHEMAS, FILTERABLE_AUTHOR_FIELDS } from '../../model/authors.ts'
import type { CollectionModel, GlobalModel, LocalesModel, Model } from '../../model/model.ts'
import { findTitleField } from '../../model/model.ts'
import { aggregatesAt } from '../../query/aggregates.ts'
import { listOperatorsAt } from '../../query/where.ts'
import type { Access } from '../access/access.ts'
import { type DocumentPermissions, type Permission, resolvePermissions } from '../access/permissions.ts'
import type { CollectionOrGlobal } from '../access/rules.ts'
import { describeFields, type FieldDescription, type FieldVisibility } from './field-description.ts'

/** The content model as one reader may know it, for programs: editors' interfaces, forms, scripts. */
export interface ModelDescription {
  /** The languages of the content; `null`: there is one. */
  readonly locales: LocalesDescription | null
  /** The collections that the reader may read, in the order of the config. */
  readonly collections: readonly CollectionDescription[]
  /** The globals that the reader may read, in the order of the config. */
  readonly globals: readonly GlobalDescription[]
  /** The plugins, in the order in which they are set up. */
  readonly plugins: readonly PluginDescription[]
  /** The widths in which images may be requested without a signature, in pixels. */
  readonly imageWidths: readonly number[]
}

/** A plugin, as every session may know it. */
export interface PluginDescription {
  readonly name: string
  readonly version: string
  /** What the plugin says to editors' interfaces. */
  readonly studio?: object | undefined
}

/** The languages of the content. */
export interface LocalesDescription {
  readonly default: string
  readonly available: readonly string[]
  /** The other locales that a value is looked for in, in order, by locale; those without fallback are left out. */
  readonly fallback: Readonly<Record<string, readonly string[]>>
}

/** The common part of collections and globals. */
interface DocumentDescription {
  readonly key: string
  /** What the config says of it, for people. */
  readonly description?: string | undefined
  readonly fields: readonly FieldDescription[]
  /** Values that every document has from the service. */
  readonly systemFields: readonly SystemFieldDescription[]
  /** Whether a change needs `If-Match`. */
  readonly requireIfMatch: boolean
}

/** A collection, as one reader may know it. */
export interface CollectionDescription extends DocumentDescription {
  /** The actions that the caller may take; `some`: it depends on the entry. `restore` is about deleted entries. */
  readonly permissions: Readonly<Record<'read' | 'create' | 'update' | 'delete' | 'restore', Permission>>
  /** The field that entries are addressed by; `null`: they are by their id alone. */
  readonly slugField: string | null
  /** The field that says what an entry is called; `null`: there is none. */
  readonly titleField: string | null
  /** The field that tells whether an entry is published; `null`: there is none. */
  readonly statusField: string | null
  /** The most entries on one page. */
  readonly maxLimit: number
  /** Whether `q` finds anything. */
  readonly searchable: boolean
}

/** A global, as one reader may know it. */
export interface GlobalDescription extends DocumentDescription {
  /** What the reader may do. */
  readonly permissions: Readonly<Record<'read' | 'update', Permission>>
}

/** A value that the service makes for every document of its kind. */
export interface SystemFieldDescription {
  readonly key: string
  readonly schema: JsonSchema
  /** The operators that `where` of a list takes. */
  readonly operators: readonly string[]
  readonly sortable: boolean
  /** What `aggregate` of a list works out of it. */
  readonly aggregates: readonly string[]
}

/** What one reader may know of the model. */
export interface VisibleModel {
  /** The collections and globals that the reader may read. */
  readonly documents: ReadonlyMap<CollectionOrGlobal, KnownDocument>
  /** Equal for readers with equal knowledge. */
  readonly cacheKey: string
}

/** What a reader may know of one collection or global, and do. */
interface KnownDocument {
  readonly permissions: DocumentPermissions
  /** Keys of the fields that do not exist for the reader. */
  readonly hidden: ReadonlySet<string>
  /** Whether the reader may know who made and last changed a document. */
  readonly hasAuthors: boolean
}

/**
 * Asks the rules of the config what a caller may know of the model, and do.
 *
 * @throws INTERNAL_ERROR when a rule fails
 */
export async function resolveVisibleModel(model: Model, access: Access): Promise<VisibleModel> {
  const { collections, globals } = await resolvePermissions(model, access)
  const documents = new Map<CollectionOrGlobal, KnownDocument>()
  for (const document of [...model.collections.values(), ...model.globals.values()]) {
    const permissions = (document.kind === 'collection' ? collections : globals)[document.key]
    if (permissions)
      documents.set(document, {
        permissions,
        hidden: access.hidden(document),
        hasAuthors: access.canSeeAuthors(document),
      })
  }
  const hidden = [...documents.values()].map((known) => [known.hasAuthors, ...known.hidden])
  return { documents, cacheKey: JSON.stringify([collections, globals, hidden]) }
}

/** The model as a reader may know it. */
export function describeModel(
  { locales, plugins }: Model,
  { documents }: VisibleModel,
  imageWidths: readonly number[],
): ModelDescription {
  const all = [...documents]
  const readable = new Set(all.flatMap(([{ kind, key }]) => (kind === 'collection' ? [key] : [])))
  return {
    locales: locales ? describeLocales(locales) : null,
    collections: all.flatMap(([one, known]) =>
      one.kind === 'collection' ? [describeCollection(one, known, readable)] : [],
    ),
    globals: all.flatMap(([one, known]) => (one.kind === 'global' ? [describeGlobal(one, known, readable)] : [])),
    plugins: plugins.map(({ name, version, studio }) => ({ name, version, studio })),
    imageWidths,
  }
}

function describeLocales({ default: main, available, chains }: LocalesModel): LocalesDescription {
  const fallback = [...chains].flatMap(([locale, [, ...others]]) =>
    others.length === 0 ? [] : [[locale, others] as const],
  )
  return { default: main, available, fallback: Object.fromEntries(fallback) }
}

/** @param readable keys of the collections that the reader may read */
function describeCollection(
  collection: CollectionModel,
  known: KnownDocument,
  readable: ReadonlySet<string>,
): CollectionDescription {
  const { read = false, create = false, update = false, delete: remove = false, restore = false } = known.permissions
  return {
    ...describeDocument(collection),
    permissions: { read, create, update, delete: remove, restore },
    slugField: collection.slug?.key ?? null,
    titleField: findTitleField(collection, known.hidden) ?? null,
    statusField: collection.status?.key ?? null,
    maxLimit: collection.maxLimit,
    searchable: collection.searchable.some(({ key }) => !known.hidden.has(key)),
    ...describeAllFields(collection, known, readable),
  }
}

/** @param readable keys of the collections that the reader may read */
function describeGlobal(global: GlobalModel, known: KnownDocument, readable: ReadonlySet<string>): GlobalDescription {
  const { read = false, update = false } = known.permissions
  return {
    ...describeDocument(global),
    permissions: { read, update },
    ...describeAllFields(global, known, readable),
  }
}

const describeDocument = ({
  key,
  description,
  requireIfMatch,
}: CollectionOrGlobal): Pick<DocumentDescription, 'key' | 'description' | 'requireIfMatch'> => ({
  key,
  description,
  requireIfMatch,
})

function describeAllFields(
  document: CollectionOrGlobal,
  { permissions, hidden, hasAuthors }: KnownDocument,
  readable: ReadonlySet<string>,
): Pick<DocumentDescription, 'fields' | 'systemFields'> {
  const reader: FieldVisibility = {
    hidden,
    canWrite: (key) => !Object.hasOwn(permissions.fields, key),
    canReadCollection: (key) => readable.has(key),
  }
  return { fields: describeFields(document, reader), systemFields: describeSystemFields(document, hasAuthors) }
}

function describeSystemFields(document: CollectionOrGlobal, hasAuthors: boolean): readonly SystemFieldDescription[] {
  const { systemKeys, schemas } = document
  const properties = { ...(schemas.read.properties as Readonly<Record<string, JsonSchema>>), ...AUTHOR_SCHEMAS }
  const people = hasAuthors ? AUTHOR_KEYS : []
  return [...systemKeys.before, ...systemKeys.after, ...people].map((key) => ({
    key,
    schema: properties[key] ?? {},
    operators: document.kind === 'collection' ? listOperatorsAt(document, key).map(({ name }) => name) : [],
    sortable:
      document.kind === 'collection' && (document.filterableFields.has(key) || FILTERABLE_AUTHOR_FIELDS.has(key)),
    aggregates: document.kind === 'collection' ? aggregatesAt(document, key) : [],
  }))
}
