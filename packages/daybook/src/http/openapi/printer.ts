import type { Ruled } from '../../content/access/rules.ts'
import { isRecord, type JsonSchema } from '../../fields/field.ts'
import type { Model } from '../../model/model.ts'
import type { Route } from '../contract.ts'
import { ANY_ENTRY, COLLECTION_KEY } from '../routes/schemas.ts'
import type { ApiReader } from './api-reader.ts'
import { Components } from './components.ts'
import { DocumentSchemas } from './document-schemas.ts'
import { isMovable, moved } from './own-schema.ts'
import { type Text, Texts } from './text.ts'

/** Finds the schema that takes the place of one that a contract names; `undefined`: it stands as it is. */
type Replace = (schema: JsonSchema) => JsonSchema | undefined

/** Prints the schemas of contracts, with what one reader may know in place of what the model says. */
export class Printer {
  readonly reader: ApiReader
  readonly components: Components = new Components()
  readonly texts: Texts = new Texts()
  readonly #documents: DocumentSchemas
  readonly #answers = { read: new Map<JsonSchema, Text>(), written: new Map<JsonSchema, Text>() }

  constructor(model: Model, reader: ApiReader) {
    this.reader = reader
    this.#documents = new DocumentSchemas(model, reader, this.components)
  }

  /** The schema of what a route answers. Routes have many of them in common. */
  answer({ resource, parameters = {}, plugin, operationId }: Route, schema: JsonSchema): Text {
    if (plugin !== undefined) return JSON.stringify(this.#foreign(`${operationId}Answer`, schema))
    const canSelect = Object.hasOwn(parameters, 'select')
    const known = this.#answers[canSelect ? 'read' : 'written']
    const text = known.get(schema) ?? JSON.stringify(this.#answer(resource, schema, canSelect))
    known.set(schema, text)
    return text
  }

  #answer(resource: Ruled | undefined, schema: JsonSchema, canSelect: boolean): JsonSchema {
    return this.#replace(schema, (one) => {
      if (!resource || one !== resource.schemas.read) return this.#common(one)
      return canSelect ? this.#documents.read(resource) : this.#documents.whole(resource)
    })
  }

  /** The schema of what a route takes. */
  body({ resource, method, plugin, operationId }: Route, schema: JsonSchema): JsonSchema {
    if (plugin !== undefined) return this.#foreign(`${operationId}Body`, schema)
    return this.#replace(schema, (one) => {
      if (one === resource?.schemas.create) return this.#documents.create(resource)
      if (one !== resource?.schemas.update) return this.#common(one)
      return method === 'PATCH' ? this.#documents.patch(resource) : this.#documents.update(resource)
    })
  }

  /** A schema of somebody else, under a name of its own. */
  own(name: string, schema: JsonSchema): JsonSchema {
    if (!isMovable(schema)) return {}
    return this.components.schema(name, () => moved(schema, `#/components/schemas/${name}`))
  }

  /** A schema of a plugin: in its place, or under a name of its own where it refers to parts of itself. */
  #foreign(name: string, schema: JsonSchema): JsonSchema {
    return JSON.stringify(schema).includes('"$') ? this.own(name, schema) : schema
  }

  #common(schema: JsonSchema): JsonSchema | undefined {
    if (schema === COLLECTION_KEY) return { enum: this.#documents.collections }
    if (schema === ANY_ENTRY) return this.#anyEntry()
    return undefined
  }

  #anyEntry(): JsonSchema {
    const entries = [...this.reader.documents.keys()].filter(({ kind }) => kind === 'collection')
    return entries.length === 0 ? ANY_ENTRY : { anyOf: entries.map((one: Ruled) => this.#documents.whole(one)) }
  }

  #replace(schema: JsonSchema, replace: Replace): JsonSchema {
    return replace(schema) ?? (this.#replaceInside(schema, replace) as JsonSchema)
  }

  #replaceInside(value: unknown, replace: Replace): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#replaceInside(item, replace))
    if (!isRecord(value)) return value
    const inner = Object.entries(value).map(([keyword, one]) => [
      keyword,
      isRecord(one) ? this.#replace(one, replace) : this.#replaceInside(one, replace),
    ])
    return Object.fromEntries(inner)
  }
}
