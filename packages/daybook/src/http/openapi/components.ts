import { isRecord, type JsonSchema } from '../../fields/field.ts'
import type { Parameter } from '../../query/parameters.ts'
import { CONDITIONS } from '../conditions.ts'
import { partName, partOf, withRefs } from './own-schema.ts'
import { object, print, type Text } from './text.ts'

const HEADER_PARAMETERS = Object.values(CONDITIONS).map(
  ({ name, description, schema }) => [name, print({ name, in: 'header', description, schema })] as const,
)

/** A reference to a schema of the document. */
export interface SchemaRef {
  readonly [keyword: string]: string
  readonly $ref: string
}

/** What operations refer to by name. */
export class Components {
  readonly #schemas = new Map<string, Text>()
  /** Those that are referred to and not printed yet, with what prints them. */
  readonly #pending = new Map<string, () => Text>()
  /** The names of schemas that are called by what they say, by their text. */
  readonly #sharedSchemas = new Map<Text, string>()
  /** `undefined`: no value fits it. */
  readonly #parameters = new Map<string, Text | undefined>()
  /** The same of parameters: collections have most of them in common. */
  readonly #sharedParameters = new Map<Text, string>()
  readonly #known = new Map<Parameter, Text>()
  readonly #responses = new Map<string, Text>()
  readonly #sharedResponses = new Map<Text, string>()

  get schemas(): Text {
    return object(this.#schemas)
  }

  get parameters(): Text {
    const own = [...this.#parameters].filter((one): one is [string, Text] => one[1] !== undefined)
    return object([...HEADER_PARAMETERS, ...own])
  }

  /** Responses that several operations share. */
  get responses(): ReadonlyMap<string, Text> {
    return this.#responses
  }

  /** A reference to the schema of this name, which is printed later: schemas may refer to each other in circles. */
  schema(name: string, make: () => Text): SchemaRef {
    if (!this.#schemas.has(name)) {
      this.#schemas.set(name, 'true')
      this.#pending.set(name, make)
    }
    return schemaRef(name)
  }

  /**
   * A reference to a schema with references into itself. Each part that these lead to becomes a schema with a name of its own:
   * generators of clients follow no pointer into a schema.
   */
  ownSchema(name: string, root: JsonSchema, part: JsonSchema | boolean = root, partRef = '#'): SchemaRef {
    const replace = (ref: string): string => this.ownSchema(name, root, partOf(root, ref), ref).$ref
    return this.schema(partName(name, partRef), () => print(isRecord(part) ? withRefs(part, replace) : part))
  }

  /** Prints the schemas that are referred to, also by each other. */
  *printSchemas(): Generator<undefined, void> {
    for (const [name, make] of this.#pending) {
      this.#schemas.set(name, make())
      this.#pending.delete(name)
      yield
    }
  }

  /** A reference to a schema that several parts share: it stands in the document once, by this name or by one with a number. */
  sharedSchema(name: string, text: Text): SchemaRef {
    return schemaRef(share(this.#schemas, this.#sharedSchemas, name, text))
  }

  /** A reference to a response that says the same of all documents. */
  sharedResponse(name: string, text: Text): Text {
    return `{"$ref":"#/components/responses/${share(this.#responses, this.#sharedResponses, name, text)}"}`
  }

  /** A reference to the parameter of this name, if some value fits it. */
  parameter(name: string, make: () => Text | undefined): Text | undefined {
    if (!this.#parameters.has(name)) this.#parameters.set(name, make())
    return this.#parameters.get(name) === undefined ? undefined : parameterRef(name)
  }

  /** The same for a part of the path. */
  sharedPathParameter(name: string, text: Text): Text {
    return parameterRef(share(this.#parameters, this.#sharedParameters, name, text))
  }

  /** A reference to a parameter that says the same of all documents. */
  sharedParameter(name: string, parameter: Parameter, make: () => Text): Text {
    const ref =
      this.#known.get(parameter) ?? parameterRef(share(this.#parameters, this.#sharedParameters, name, make()))
    this.#known.set(parameter, ref)
    return ref
  }
}

/** The name under which a text stands among others. Texts of one name may say different things, such as the largest page. */
function share(all: Map<string, Text | undefined>, names: Map<Text, string>, name: string, text: Text): string {
  const known = names.get(text)
  if (known !== undefined) return known
  let free = name
  for (let n = 2; all.has(free); n++) free = `${name}.${n}`
  names.set(text, free)
  all.set(free, text)
  return free
}

const schemaRef = (name: string): SchemaRef => ({ $ref: `#/components/schemas/${name}` })
const parameterRef = (name: string): Text => `{"$ref":"#/components/parameters/${name}"}`

/** A key as a part of other names: no two keys give the same. */
export const pascal = (key: string): string => key.charAt(0).toUpperCase() + key.slice(1)
