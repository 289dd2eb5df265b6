import type { JsonSchema } from '../../fields/field.ts'
import type { Parameter } from '../../query/parameters.ts'
import { CONDITIONS } from '../conditions.ts'
import { object, type Text } from './text.ts'

const STYLES: Readonly<Record<Parameter['style'], object>> = {
  single: {},
  list: { style: 'form', explode: false },
  brackets: { style: 'deepObject', explode: true },
}

const HEADER_PARAMETERS = Object.values(CONDITIONS).map(
  ({ name, description, schema }) => [name, JSON.stringify({ name, in: 'header', description, schema })] as const,
)

/** What operations refer to by name, each printed when it is first asked for. */
export class Components {
  readonly #schemas = new Map<string, Text>()
  /** By name, and by what they say: collections have most of them in common. */
  readonly #parameters = new Map<string, Text>()
  readonly #parameterNames = new Map<Text, string>()
  readonly #known = new Map<Parameter, Text>()

  get schemas(): Text {
    return object([...this.#schemas])
  }

  get parameters(): Text {
    return object([...HEADER_PARAMETERS, ...this.#parameters])
  }

  /** A reference to the schema of this name; schemas may refer to each other in circles. */
  schema(name: string, make: () => JsonSchema): JsonSchema {
    if (!this.#schemas.has(name)) {
      this.#schemas.set(name, 'true')
      this.#schemas.set(name, JSON.stringify(make()))
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  /** A reference to a parameter of a query string. */
  parameter(name: string, parameter: Parameter): Text {
    const known = this.#known.get(parameter) ?? this.#addParameter(name, parameter)
    this.#known.set(parameter, known)
    return known
  }

  #addParameter(name: string, { description, schema, style, isRequired }: Parameter): Text {
    const required = isRequired ? { required: true } : {}
    const text = JSON.stringify({ name, in: 'query', description, ...required, schema, ...STYLES[style] })
    const known = this.#parameterNames.get(text) ?? this.#freeName(name)
    this.#parameterNames.set(text, known)
    this.#parameters.set(known, text)
    return `{"$ref":"#/components/parameters/${known}"}`
  }

  /** Parameters of one name may say different things, such as the largest page. */
  #freeName(name: string): string {
    let free = name
    for (let n = 2; this.#parameters.has(free); n++) free = `${name}.${n}`
    return free
  }
}

/** A key as a part of other names: no two keys give the same. */
export const pascal = (key: string): string => key.charAt(0).toUpperCase() + key.slice(1)
