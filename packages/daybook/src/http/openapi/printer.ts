import type { Ruled } from '../../content/access/rules.ts'
import { isRecord, type JsonSchema } from '../../fields/field.ts'
import type { CollectionModel, LocalesModel, Model } from '../../model/model.ts'
import type { Parameter } from '../../query/parameters.ts'
import type { AnswerContract, Route } from '../contract.ts'
import { MODEL_FIELD } from '../routes/model-schema.ts'
import { ANY_ENTRY, ANY_OPERATION, operationSchema, publicationBodies } from '../routes/schemas.ts'
import type { ApiReader } from './api-reader.ts'
import { Components, pascal } from './components.ts'
import { DocumentSchemas } from './document-schemas.ts'
import { exampleOf } from './examples.ts'
import { FilterSchemas } from './filter-schemas.ts'
import { isMovable } from './own-schema.ts'
import { ParameterPrinter } from './parameters.ts'
import { fill, print, printRef, type Text, Texts } from './text.ts'

/** Finds the schema that takes the place of one that a contract names; `undefined`: it stands as it is. */
type Replace = (schema: JsonSchema) => JsonSchema | undefined

/** Prints the schemas and parameters of contracts, with what one reader may know in place of what the model says. */
export class Printer {
  readonly reader: ApiReader
  readonly components: Components = new Components()
  readonly #documents: DocumentSchemas
  readonly #parameters: ParameterPrinter
  /** The operation of a batch on any collection whose entries are published, each locale by itself. */
  readonly #publishable: Text
  /** Lists say the same of all documents but for few places. */
  readonly #lists = new Texts()

  constructor(model: Model, reader: ApiReader) {
    this.reader = reader
    this.#documents = new DocumentSchemas(model, reader, this.components)
    this.#publishable = publishableIn(model.locales)
    this.#parameters = new ParameterPrinter(reader, this.components, new FilterSchemas(reader, this.components))
  }

  /** The schema of what a route answers. */
  answer(route: Route, { schema = {}, name }: AnswerContract): Text {
    const { operationId, plugin, resource } = route
    if (plugin !== undefined) return print(this.#foreign(`${operationId}Answer`, schema))
    const make = (): Text => (resource ? this.#ofResource(route, resource, schema) : this.#ofService(schema))
    return name === undefined ? make() : printRef(this.components.schema(pascal(name), make))
  }

  /** Whether an answer holds the document of its route, or a list of such documents. */
  isOfDocument({ resource }: Route, { schema }: AnswerContract): boolean {
    return resource !== undefined && schema !== undefined && [schema, itemOf(schema)].includes(resource.schemas.read)
  }

  /** The schema of what a route answers to `locale=all`; `undefined` if the reader may not ask that, or nothing is localized. */
  allLocales({ parameters = {}, resource }: Route, { schema = {} }: AnswerContract): Text | undefined {
    if (!resource || !this.reader.readsAllLocales || !parameters.locale?.oneLocaleSchema) return undefined
    const document = this.#documents.allLocales(resource)
    if (document === undefined || schema === resource.schemas.read) return document
    return this.#list(resource, schema, document, undefined)
  }

  /** The schema of what a route answers to `deleted=true`; `undefined` if it does not take that. */
  deleted({ deletedSchema }: AnswerContract): Text | undefined {
    return deletedSchema && printRef(this.components.schema('DeletedEntries', () => print(deletedSchema)))
  }

  #ofService(schema: JsonSchema): Text {
    return print(replaceIn(schema, (one) => this.#common(one)))
  }

  #ofResource({ parameters = {}, showsDrafts }: Route, resource: Ruled, schema: JsonSchema): Text {
    const canSelect = Object.hasOwn(parameters, 'select')
    const document = (): Text =>
      canSelect ? this.#documents.read(resource) : this.#documents.written(resource, showsDrafts)
    if (schema === resource.schemas.read) return document()
    return itemOf(schema) === resource.schemas.read
      ? this.#list(resource, schema, document(), this.#documents.example(resource))
      : print(schema)
  }

  /** A list of a document. */
  #list(resource: Ruled, schema: JsonSchema, item: Text, example: Text | undefined): Text {
    const { collection, items, ...common } = schema.properties as Readonly<Record<string, JsonSchema>>
    const name = print([common, items?.maxItems, collection === undefined, example === undefined])
    const pattern = this.#lists.get(name, () => listPattern(schema, example !== undefined))
    return fill(pattern, { '{key}': resource.key, [print(ITEM)]: item, [print(EXAMPLE)]: example ?? '' })
  }

  /** The schema of what a route takes. */
  body({ resource, method, plugin, operationId }: Route, schema: JsonSchema): Text {
    if (plugin !== undefined) return print(this.#foreign(`${operationId}Body`, schema))
    if (!resource) return this.#ofService(schema)
    if (schema === resource.schemas.create) return printRef(this.#documents.create(resource))
    if (schema !== resource.schemas.update) return print(schema)
    return printRef(method === 'PATCH' ? this.#documents.patch(resource) : this.#documents.update(resource))
  }

  /** A reference to a parameter of a route; `undefined` for one that no value fits. */
  parameter(name: string, parameter: Parameter, resource: Ruled | undefined): Text | undefined {
    return this.#parameters.ref(name, parameter, resource)
  }

  /** A schema of somebody else, under a name of its own. */
  own(name: string, schema: JsonSchema): JsonSchema {
    if (!isMovable(schema)) return {}
    return this.components.ownSchema(name, schema)
  }

  /** A schema of a plugin: in its place, or under a name of its own where it refers to parts of itself. */
  #foreign(name: string, schema: JsonSchema): JsonSchema {
    return JSON.stringify(schema).includes('"$') ? this.own(name, schema) : schema
  }

  #common(schema: JsonSchema): JsonSchema | undefined {
    if (schema === ANY_OPERATION) return this.#anyOperation()
    if (schema === ANY_ENTRY) return this.#anyEntry()
    if (schema === MODEL_FIELD) return this.own('ModelField', schema)
    return undefined
  }

  get #collections(): readonly CollectionModel[] {
    return [...this.reader.documents.keys()].filter((one) => one.kind === 'collection')
  }

  #anyEntry(): JsonSchema {
    const entries = this.#collections.map((one) => this.#documents.whole(one))
    // A restore in a batch returns the draft.
    const drafts = this.#collections.some(({ status }) => status) ? [this.#documents.draft()] : []
    return entries.length === 0 ? ANY_ENTRY : { anyOf: [...entries, ...drafts] }
  }

  #anyOperation(): JsonSchema {
    const documents = this.#documents
    // Each is a `oneOf` of operations, which no discriminator may lead to; `op` and `collection` tell them apart.
    const operations = this.#collections.map((one) =>
      this.components.schema(`${pascal(one.key)}Operation`, () => {
        const update = documents.update(one).$ref
        // Files come by an upload alone.
        if (one.holdsFiles) return fill(FILE_OPERATION, { '{key}': one.key, '{update}': update })
        const publishable = one.localized.size > 0 ? this.#publishable : PUBLISHABLE
        const pattern = one.status ? publishable : OPERATION
        return fill(pattern, { '{key}': one.key, '{create}': documents.create(one).$ref, '{update}': update })
      }),
    )
    return operations.length === 0 ? ANY_OPERATION : { oneOf: operations }
  }
}

/** The schema of a list's items. */
const itemOf = ({ properties }: JsonSchema): JsonSchema | undefined =>
  (properties as { readonly items?: { readonly items?: JsonSchema } } | undefined)?.items?.items

/** The operation of a batch on any collection. */
const OPERATION: Text = print(operationSchema('{key}', { $ref: '{update}' }, { create: { $ref: '{create}' } }))
const publishableIn = (locales: LocalesModel | undefined): Text =>
  print(
    operationSchema(
      '{key}',
      { $ref: '{update}' },
      { create: { $ref: '{create}' }, publication: publicationBodies(locales) },
    ),
  )
const PUBLISHABLE: Text = publishableIn(undefined)
const FILE_OPERATION: Text = print(operationSchema('{key}', { $ref: '{update}' }, {}))

const ITEM: JsonSchema = { $ref: '{item}' }
const EXAMPLE = '{example}'

/** The list of any collection with pages as long as those of this one. */
function listPattern({ properties, ...schema }: JsonSchema, hasExample: boolean): Text {
  const { items, ...own } = properties as Readonly<Record<string, JsonSchema>>
  const all = (list: JsonSchema): JsonSchema => ({
    ...schema,
    properties: { ...own, ...(own.collection ? { collection: ANY_KEY } : {}), items: list },
  })
  const example = exampleOf(all({ examples: [[EXAMPLE]] }), '')
  return print({ ...all({ ...items, items: ITEM }), ...(hasExample ? { examples: [example] } : {}) })
}

const ANY_KEY: JsonSchema = { const: '{key}' }

function replaceIn(schema: JsonSchema, replace: Replace): JsonSchema {
  return replace(schema) ?? (replaceInside(schema, replace) as JsonSchema)
}

function replaceInside(value: unknown, replace: Replace): unknown {
  if (Array.isArray(value)) return value.map((item) => (isRecord(item) ? replaceIn(item, replace) : item))
  if (!isRecord(value)) return value
  const inner: Record<string, unknown> = {}
  for (const [keyword, one] of Object.entries(value)) {
    inner[keyword] = isRecord(one) ? replaceIn(one, replace) : replaceInside(one, replace)
  }
  return inner
}
