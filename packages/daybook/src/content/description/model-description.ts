import type { JsonSchema } from '../../fields/field.ts'
import type { InterfaceText } from '../../fields/interface-text.ts'
import { RANK } from '../../fields/rank.ts'
import { AUTHOR_KEYS, AUTHOR_SCHEMAS, FILTERABLE_AUTHOR_FIELDS } from '../../model/authors.ts'
import {
  type CollectionModel,
  findTitleField,
  type GlobalModel,
  type LocalesModel,
  type Model,
} from '../../model/model.ts'
import { aggregatesAt } from '../../query/aggregates.ts'
import { listOperatorsAt } from '../../query/where.ts'
import type { Access } from '../access/access.ts'
import { type DocumentPermissions, type Permission, resolvePermissions } from '../access/permissions.ts'
import type { CollectionOrGlobal } from '../access/rules.ts'
import { describeFields, type FieldDescription, type FieldVisibility } from './field-description.ts'
import { describeForm, type FormDescription } from './form-description.ts'

/** The content model as visible to a caller, for programs such as editors' interfaces, forms and scripts. */
export interface ModelDescription {
  /** The locales of the content; `null` if there are none. */
  readonly locales: LocalesDescription | null
  /** The collections that the caller may read, in the order of the config. */
  readonly collections: readonly CollectionDescription[]
  /** The globals that the caller may read, in the order of the config. */
  readonly globals: readonly GlobalDescription[]
  /** The plugins in the order of their setup. */
  readonly plugins: readonly PluginDescription[]
  /** The widths of images that need no signature, in pixels. */
  readonly imageWidths: readonly number[]
}

/** A plugin, as visible to every session. */
export interface PluginDescription {
  readonly name: string
  readonly version: string
  /** The data of the plugin for editors' interfaces. */
  readonly studio?: object | undefined
}

/** The locales of the content. */
export interface LocalesDescription {
  readonly default: string
  readonly available: readonly string[]
  /** The fallback locales by locale, in order. Locales without fallbacks are left out. */
  readonly fallback: Readonly<Record<string, readonly string[]>>
}

/** The common members of collections and globals. */
interface DocumentDescription {
  readonly key: string
  /** The label in the config, for people: a text, or one for each language. */
  readonly label?: InterfaceText | undefined
  /** The description in the config, for people: a text, or one for each language. */
  readonly description?: InterfaceText | undefined
  readonly fields: readonly FieldDescription[]
  /** The arrangement of the fields in a form; absent if the config has none. */
  readonly form?: FormDescription | undefined
  /** The values that the service sets in every document. */
  readonly systemFields: readonly SystemFieldDescription[]
  /** True if changes need `If-Match`. */
  readonly requireIfMatch: boolean
}

/** A collection, as visible to a caller. */
export interface CollectionDescription extends DocumentDescription {
  /** The permitted actions; `some`: it depends on the entry. `restore` applies to deleted entries. */
  readonly permissions: Readonly<Record<'read' | 'create' | 'update' | 'delete' | 'restore', Permission>>
  /** The label of one entry in the config, for people: a text, or one for each language. */
  readonly singularLabel?: InterfaceText | undefined
  /** The field with the slug; `null` if entries are only addressed by their id. */
  readonly slugField: string | null
  /** The field with the title; `null` if there is none. */
  readonly titleField: string | null
  /** The field with the status; `null` if there is none. */
  readonly statusField: string | null
  /** True if entries have a `rank`, the default order of lists, and can be moved. */
  readonly orderable: boolean
  /** The field with the parent, if entries form a tree; `null` if they do not, or the caller may not read it. */
  readonly parentField: string | null
  readonly maxLimit: number
  /** True if `q` searches any field. */
  readonly searchable: boolean
}

/** A global, as visible to a caller. */
export interface GlobalDescription extends DocumentDescription {
  readonly permissions: Readonly<Record<'read' | 'update', Permission>>
}

/** A value that the service sets in every document of its kind. */
export interface SystemFieldDescription {
  readonly key: string
  readonly schema: JsonSchema
  /** The operators in `where` of a list. */
  readonly operators: readonly string[]
  readonly sortable: boolean
  /** The aggregates of the value in lists. */
  readonly aggregates: readonly string[]
}

export interface VisibleModel {
  /** The collections and globals that the caller may read. */
  readonly documents: ReadonlyMap<CollectionOrGlobal, VisibleDocument>
  /** Equal for callers who see the same. */
  readonly cacheKey: string
}

/** The visible part of one collection or global, with the caller's permissions. */
interface VisibleDocument {
  readonly permissions: DocumentPermissions
  /** The keys of the fields that do not exist for the caller. */
  readonly hidden: ReadonlySet<string>
  /** True if the caller may see the authors of documents. */
  readonly hasAuthors: boolean
}

/**
 * Resolves the part of the model that a caller can see by evaluating the rules of the config.
 *
 * @throws INTERNAL_ERROR if a rule fails
 */
export async function resolveVisibleModel(model: Model, access: Access): Promise<VisibleModel> {
  const { collections, globals } = await resolvePermissions(model, access)
  const documents = new Map<CollectionOrGlobal, VisibleDocument>()
  for (const document of [...model.collections.values(), ...model.globals.values()]) {
    const permissions = (document.kind === 'collection' ? collections : globals)[document.key]
    if (permissions)
      documents.set(document, {
        permissions,
        hidden: access.hidden(document),
        hasAuthors: access.canSeeAuthors(document),
      })
  }
  const hidden = [...documents.values()].map((document) => [document.hasAuthors, ...document.hidden])
  return { documents, cacheKey: JSON.stringify([collections, globals, hidden]) }
}

export function describeModel(
  { locales, plugins }: Model,
  { documents }: VisibleModel,
  imageWidths: readonly number[],
): ModelDescription {
  const all = [...documents]
  const readable = new Set(all.flatMap(([{ kind, key }]) => (kind === 'collection' ? [key] : [])))
  return {
    locales: locales ? describeLocales(locales) : null,
    collections: all.flatMap(([document, visible]) =>
      document.kind === 'collection' ? [describeCollection(document, visible, readable)] : [],
    ),
    globals: all.flatMap(([document, visible]) =>
      document.kind === 'global' ? [describeGlobal(document, visible, readable)] : [],
    ),
    plugins: plugins.map(({ name, version, studio }) => ({ name, version, studio })),
    imageWidths,
  }
}

function describeLocales({ default: defaultLocale, available, chains }: LocalesModel): LocalesDescription {
  const fallback = [...chains].flatMap(([locale, [, ...fallbacks]]) =>
    fallbacks.length === 0 ? [] : [[locale, fallbacks] as const],
  )
  return { default: defaultLocale, available, fallback: Object.fromEntries(fallback) }
}

/** @param readable the keys of the collections that the caller may read */
function describeCollection(
  collection: CollectionModel,
  visible: VisibleDocument,
  readable: ReadonlySet<string>,
): CollectionDescription {
  const { read = false, create = false, update = false, delete: remove = false, restore = false } = visible.permissions
  return {
    ...describeDocument(collection),
    permissions: { read, create, update, delete: remove, restore },
    singularLabel: collection.singularLabel,
    slugField: collection.slug?.key ?? null,
    titleField: findTitleField(collection, visible.hidden) ?? null,
    statusField: collection.status?.key ?? null,
    orderable: collection.orderable,
    parentField: collection.parent !== undefined && !visible.hidden.has(collection.parent) ? collection.parent : null,
    maxLimit: collection.maxLimit,
    searchable: collection.searchable.some(({ key }) => !visible.hidden.has(key)),
    ...describeAllFields(collection, visible, readable),
  }
}

/** @param readable the keys of the collections that the caller may read */
function describeGlobal(
  global: GlobalModel,
  visible: VisibleDocument,
  readable: ReadonlySet<string>,
): GlobalDescription {
  const { read = false, update = false } = visible.permissions
  return {
    ...describeDocument(global),
    permissions: { read, update },
    ...describeAllFields(global, visible, readable),
  }
}

const describeDocument = ({
  key,
  label,
  description,
  requireIfMatch,
}: CollectionOrGlobal): Pick<DocumentDescription, 'key' | 'label' | 'description' | 'requireIfMatch'> => ({
  key,
  label,
  description,
  requireIfMatch,
})

function describeAllFields(
  document: CollectionOrGlobal,
  { permissions, hidden, hasAuthors }: VisibleDocument,
  readable: ReadonlySet<string>,
): Pick<DocumentDescription, 'fields' | 'form' | 'systemFields'> {
  const visibility: FieldVisibility = {
    hidden,
    canWrite: (key) => !Object.hasOwn(permissions.fields, key),
    canReadCollection: (key) => readable.has(key),
  }
  const fields = describeFields(document, visibility)
  const formKeys = fields.filter(({ position }) => position !== 'side').map(({ key }) => key)
  return {
    fields,
    form: describeForm(document.form, formKeys),
    systemFields: describeSystemFields(document, hasAuthors),
  }
}

function describeSystemFields(document: CollectionOrGlobal, hasAuthors: boolean): readonly SystemFieldDescription[] {
  const { systemKeys, schemas } = document
  const properties = { ...(schemas.read.properties as Readonly<Record<string, JsonSchema>>), ...AUTHOR_SCHEMAS }
  const authorKeys = hasAuthors ? AUTHOR_KEYS : []
  const rankKeys = document.kind === 'collection' && document.orderable ? [RANK] : []
  return [...systemKeys.before, ...rankKeys, ...systemKeys.after, ...authorKeys].map((key) => ({
    key,
    schema: properties[key] ?? {},
    operators: document.kind === 'collection' ? listOperatorsAt(document, key).map(({ name }) => name) : [],
    sortable:
      document.kind === 'collection' && (document.filterableFields.has(key) || FILTERABLE_AUTHOR_FIELDS.has(key)),
    aggregates: document.kind === 'collection' ? aggregatesAt(document, key) : [],
  }))
}
