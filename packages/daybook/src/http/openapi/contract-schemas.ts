import type { CollectionOrGlobal } from '../../content/access/rules.ts'
import { isRecord, type JsonSchema } from '../../fields/field.ts'
import type { CollectionModel, Model } from '../../model/model.ts'
import type { ResponseContract, Route } from '../contract.ts'
import { MODEL_FIELD } from '../routes/model.ts'
import { ANY_ENTRY, ANY_OPERATION, operationSchema, publicationBodies } from '../routes/schemas.ts'
import { type Components, toPascalCase } from './components.ts'
import { isSelfContained } from './config-schema.ts'
import { DocumentSchemas } from './document-schemas.ts'
import { makeExample } from './examples.ts'
import type { VisibleApi } from './visible-api.ts'

/** The schemas of bodies and responses, restricted to what one caller may know. */
export class ContractSchemas {
  readonly #model: Model
  readonly #visibleApi: VisibleApi
  readonly #components: Components
  readonly #documents: DocumentSchemas

  constructor(model: Model, visibleApi: VisibleApi, components: Components) {
    this.#model = model
    this.#visibleApi = visibleApi
    this.#components = components
    this.#documents = new DocumentSchemas(model, visibleApi, components)
  }

  body({ resource, method, plugin, operationId }: Route, schema: JsonSchema): JsonSchema {
    if (plugin !== undefined) return this.#contributed(`${operationId}Body`, schema)
    if (!resource) return this.#ofService(schema)
    if (schema === resource.schemas.create) return this.#documents.create(resource)
    if (schema !== resource.schemas.update) return schema
    return method === 'PATCH' ? this.#documents.patch(resource) : this.#documents.update(resource)
  }

  response(route: Route, { schema = {}, name }: ResponseContract): JsonSchema {
    const { operationId, plugin, resource } = route
    if (plugin !== undefined) return this.#contributed(`${operationId}Response`, schema)
    const build = (): JsonSchema => (resource ? this.#ofResource(route, resource, schema) : this.#ofService(schema))
    return name === undefined ? build() : this.#components.addSchema(toPascalCase(name), build)
  }

  /** Returns the schema of the response to `locale=all`; `undefined` if the caller may not request that, or nothing is localized. */
  allLocales({ parameters = {}, resource }: Route, { schema = {} }: ResponseContract): JsonSchema | undefined {
    if (!resource || !this.#visibleApi.canReadAllLocales || !parameters.locale?.oneLocaleSchema) return undefined
    const document = this.#documents.allLocales(resource)
    return document && schema !== resource.schemas.read ? listSchema(schema, document, undefined) : document
  }

  /** Returns the schema of the response to `deleted=true`; `undefined` if the route has none. */
  deleted({ deletedSchema }: ResponseContract): JsonSchema | undefined {
    return deletedSchema && this.#components.addSchema('DeletedEntries', () => deletedSchema)
  }

  /** Adds a schema of an auth adapter or a plugin under a name. */
  named(name: string, schema: JsonSchema): JsonSchema {
    return isSelfContained(schema) ? this.#components.addSelfReferringSchema(name, schema) : {}
  }

  /** Returns a schema of a plugin: under a name if it refers to parts of itself, otherwise inline. */
  #contributed(name: string, schema: JsonSchema): JsonSchema {
    return JSON.stringify(schema).includes('"$') ? this.named(name, schema) : schema
  }

  #ofResource({ parameters = {}, showsDrafts }: Route, resource: CollectionOrGlobal, schema: JsonSchema): JsonSchema {
    if (!holdsDocument(resource, schema)) return schema
    const whole = this.#documents.whole(resource)
    const written = showsDrafts ? { anyOf: [whole, this.#documents.draft()] } : whole
    const document = Object.hasOwn(parameters, 'select') ? this.#documents.read(resource) : written
    if (schema === resource.schemas.read) return document
    return listSchema(schema, document, this.#documents.example(resource))
  }

  #ofService(schema: JsonSchema): JsonSchema {
    if (schema === ANY_OPERATION) return this.#anyOperation()
    if (schema === ANY_ENTRY) return this.#anyEntry()
    if (schema === MODEL_FIELD) return this.named('ModelField', schema)
    return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, this.#insideOfService(value)]))
  }

  #insideOfService(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#insideOfService(item))
    return isRecord(value) ? this.#ofService(value) : value
  }

  get #collections(): readonly CollectionModel[] {
    return [...this.#visibleApi.documents.keys()].filter((document) => document.kind === 'collection')
  }

  #anyEntry(): JsonSchema {
    const entries = this.#collections.map((collection) => this.#documents.whole(collection))
    // A restore in a batch returns the draft.
    const drafts = this.#collections.some(({ status }) => status) ? [this.#documents.draft()] : []
    return entries.length === 0 ? ANY_ENTRY : { anyOf: [...entries, ...drafts] }
  }

  #anyOperation(): JsonSchema {
    // Each is a `oneOf` of operations, which a discriminator cannot reference; `op` and `collection` distinguish them.
    const operations = this.#collections.map((collection) =>
      this.#components.addSchema(`${toPascalCase(collection.key)}Operation`, () => {
        const { key, holdsFiles, status, localized } = collection
        const update = this.#documents.update(collection)
        // Files are created by uploads only.
        if (holdsFiles) return operationSchema(key, update, {})
        const locales = localized.size > 0 ? this.#model.locales : undefined
        const publication = status ? { publication: publicationBodies(locales) } : {}
        return operationSchema(key, update, { create: this.#documents.create(collection), ...publication })
      }),
    )
    return operations.length === 0 ? ANY_OPERATION : { oneOf: operations }
  }
}

/** True for the schema of a document, or of a list of such documents. */
export function holdsDocument({ schemas }: CollectionOrGlobal, schema: JsonSchema | undefined): boolean {
  return schema !== undefined && [schema, getItemSchema(schema)].includes(schemas.read)
}

const getItemSchema = ({ properties }: JsonSchema): JsonSchema | undefined =>
  (properties as { readonly items?: { readonly items?: JsonSchema } } | undefined)?.items?.items

/** Returns the schema of a list with other items, and with an example of one if there is one. */
function listSchema({ properties, ...schema }: JsonSchema, item: JsonSchema, itemExample: unknown): JsonSchema {
  const { items, ...rest } = properties as Readonly<Record<string, JsonSchema>>
  const buildList = (list: JsonSchema): JsonSchema => ({ ...schema, properties: { ...rest, items: list } })
  const list = buildList({ ...items, items: item })
  if (itemExample === undefined) return list
  return { ...list, examples: [makeExample(buildList({ examples: [[itemExample]] }), '')] }
}
