import type { JsonSchema } from '../../fields/field.ts'
import type { CollectionModel, GlobalModel, LocalesModel, Model } from '../../model/model.ts'
import { operatorsOn } from '../../query/where.ts'
import type { Access } from '../access/access.ts'
import { type DocumentPermissions, type Permission, type Permissions, permissionsOf } from '../access/permissions.ts'
import type { Ruled } from '../access/rules.ts'
import { describeFields, type FieldDescription, type FieldReader } from './field-description.ts'

/** The content model as one reader may know it, for programs: editors' interfaces, forms, scripts. */
export interface ModelDescription {
  /** The languages of the content; `null`: there is one. */
  readonly locales: LocalesDescription | null
  /** The collections that the reader may read, in the order of the config. */
  readonly collections: readonly CollectionDescription[]
  /** The globals that the reader may read, in the order of the config. */
  readonly globals: readonly GlobalDescription[]
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
  /** What the reader may do; `some`: that depends on the entry. */
  readonly permissions: Readonly<Record<'read' | 'create' | 'update' | 'delete', Permission>>
  /** The field that entries are addressed by; `null`: they are by their id alone. */
  readonly slugField: string | null
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
}

/** What one reader may know of the model. */
export interface ModelReader {
  readonly permissions: Permissions
  readonly hidden: ReadonlyMap<Ruled, ReadonlySet<string>>
  /** Equal for readers with equal knowledge. */
  readonly variant: string
}

/**
 * Asks the rules of the config what a caller may know of the model, and do.
 *
 * @throws INTERNAL_ERROR when a rule fails
 */
export async function modelReader(model: Model, access: Access): Promise<ModelReader> {
  const permissions = await permissionsOf(model, access)
  const documents: readonly Ruled[] = [...model.collections.values(), ...model.globals.values()]
  const hidden = new Map(documents.map((one) => [one, access.hidden(one)]))
  const variant = JSON.stringify([permissions, [...hidden.values()].map((keys) => [...keys])])
  return { permissions, hidden, variant }
}

/** The model as a reader may know it. */
export function describeModel(model: Model, reader: ModelReader): ModelDescription {
  const { collections, globals } = reader.permissions
  return {
    locales: model.locales ? describeLocales(model.locales) : null,
    collections: [...model.collections.values()].flatMap((one) =>
      describeIf(collections[one.key], (own) => describeCollection(one, own, reader)),
    ),
    globals: [...model.globals.values()].flatMap((one) =>
      describeIf(globals[one.key], (own) => describeGlobal(one, own, reader)),
    ),
  }
}

/** Nothing of what the reader has no permissions on, which is what the reader may not read. */
const describeIf = <T>(
  permissions: DocumentPermissions | undefined,
  describe: (own: DocumentPermissions) => T,
): readonly T[] => (permissions ? [describe(permissions)] : [])

function describeLocales({ default: main, available, chains }: LocalesModel): LocalesDescription {
  const fallback = [...chains].flatMap(([locale, [, ...others]]) =>
    others.length === 0 ? [] : [[locale, others] as const],
  )
  return { default: main, available, fallback: Object.fromEntries(fallback) }
}

function describeCollection(
  collection: CollectionModel,
  permissions: DocumentPermissions,
  reader: ModelReader,
): CollectionDescription {
  const { read = false, create = false, update = false, delete: remove = false } = permissions
  const hidden = reader.hidden.get(collection)
  return {
    ...describeDocument(collection),
    permissions: { read, create, update, delete: remove },
    slugField: collection.slug?.key ?? null,
    statusField: collection.status?.key ?? null,
    maxLimit: collection.maxLimit,
    searchable: collection.searchable.some(({ key }) => !hidden?.has(key)),
    ...describeAllFields(collection, permissions, reader),
  }
}

function describeGlobal(global: GlobalModel, permissions: DocumentPermissions, reader: ModelReader): GlobalDescription {
  const { read = false, update = false } = permissions
  return {
    ...describeDocument(global),
    permissions: { read, update },
    ...describeAllFields(global, permissions, reader),
  }
}

const describeDocument = ({
  key,
  description,
  requireIfMatch,
}: Ruled): Pick<DocumentDescription, 'key' | 'description' | 'requireIfMatch'> => ({ key, description, requireIfMatch })

function describeAllFields(
  document: Ruled,
  { fields }: DocumentPermissions,
  { hidden, permissions }: ModelReader,
): Pick<DocumentDescription, 'fields' | 'systemFields'> {
  const reader: FieldReader = {
    hidden: hidden.get(document) ?? new Set(),
    mayWrite: (key) => !Object.hasOwn(fields, key),
    mayReadCollection: (key) => Object.hasOwn(permissions.collections, key),
  }
  return { fields: describeFields(document, reader), systemFields: describeSystemFields(document) }
}

function describeSystemFields(document: Ruled): readonly SystemFieldDescription[] {
  const { systemKeys, schemas } = document
  const properties = schemas.read.properties as Readonly<Record<string, JsonSchema>>
  return [...systemKeys.before, ...systemKeys.after].map((key) => ({
    key,
    schema: properties[key] ?? {},
    operators: document.kind === 'collection' ? operatorsOn(document, key) : [],
    sortable: document.kind === 'collection' && document.comparables.has(key),
  }))
}
