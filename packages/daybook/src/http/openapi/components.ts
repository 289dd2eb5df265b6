import { setImmediate as turn } from 'node:timers/promises'
import { isRecord, type JsonSchema } from '../../fields/field.ts'
import { REQUEST_HEADERS } from '../request-headers.ts'
import { nameSchemaPart, replaceRefs, resolveRef } from './config-schema.ts'

export interface Ref {
  readonly [keyword: string]: string
  readonly $ref: string
}

type Kind = 'schemas' | 'parameters' | 'responses'

const HEADER_PARAMETERS = Object.values(REQUEST_HEADERS).map(
  ({ name, description, schema }) => [name, { name, in: 'header', description, schema }] as const,
)

/** The parts of a document that operations and other parts refer to by name. */
export class Components {
  readonly schemas: Map<string, unknown> = new Map()
  readonly parameters: Map<string, unknown> = new Map(HEADER_PARAMETERS)
  readonly responses: Map<string, unknown> = new Map()
  /** The schemas that are not built yet, since schemas may have circular references. */
  readonly #pending: (readonly [name: string, build: () => JsonSchema | boolean])[] = []
  /** The names of shared components, by kind and JSON. */
  readonly #sharedNames = new Map<string, string>()

  /** Adds a named schema, which {@link buildSchemas} builds; returns a reference to it. */
  addSchema(name: string, build: () => JsonSchema | boolean): Ref {
    if (!this.schemas.has(name)) {
      // Reserves the position among the schemas.
      this.schemas.set(name, true)
      this.#pending.push([name, build])
    }
    return toRef('schemas', name)
  }

  /**
   * Adds a schema that refers to parts of itself; returns a reference to it. Each of these parts becomes a named schema, because client
   * generators do not follow pointers into a schema.
   */
  addSelfReferringSchema(name: string, root: JsonSchema, part: JsonSchema | boolean = root, pointer = '#'): Ref {
    const replace = (ref: string): string => this.addSelfReferringSchema(name, root, resolveRef(root, ref), ref).$ref
    return this.addSchema(nameSchemaPart(name, pointer), () => (isRecord(part) ? replaceRefs(part, replace) : part))
  }

  /** Builds the added schemas, and those that they add. Other requests may run after each schema. */
  async buildSchemas(): Promise<void> {
    // The list grows during the iteration.
    for (const [name, build] of this.#pending) {
      this.schemas.set(name, build())
      await turn()
    }
  }

  /** Adds the parameter of one document; returns a reference to it, or `undefined` if no value is valid. */
  addParameter(name: string, build: () => object | undefined): Ref | undefined {
    const parameter = this.parameters.has(name) ? this.parameters.get(name) : build()
    if (parameter === undefined) return undefined
    this.parameters.set(name, parameter)
    return toRef('parameters', name)
  }

  /**
   * Adds a component that is in the document once, however often it is used; returns a reference to it. Components of one name may differ,
   * for example in the maximum page size: later ones get a number.
   */
  addShared(kind: Kind, name: string, part: object): Ref {
    const json = `${kind} ${JSON.stringify(part)}`
    const sharedName = this.#sharedNames.get(json)
    if (sharedName !== undefined) return toRef(kind, sharedName)
    const free = findFreeName(this[kind], name)
    this.#sharedNames.set(json, free)
    this[kind].set(free, part)
    return toRef(kind, free)
  }
}

function findFreeName(names: ReadonlyMap<string, unknown>, name: string): string {
  let free = name
  for (let n = 2; names.has(free); n++) free = `${name}.${n}`
  return free
}

const toRef = (kind: Kind, name: string): Ref => ({ $ref: `#/components/${kind}/${name}` })

/** Capitalizes a key as a part of names. Different keys have different results. */
export const toPascalCase = (key: string): string => key.charAt(0).toUpperCase() + key.slice(1)
