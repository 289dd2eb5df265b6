import type { JsonSchema } from '../fields/field.ts'
import type { Validator } from '../model/validator.ts'
import type { Faults, Given, Parameter } from '../query/parameters.ts'
import type { PluginParameter, QueryValue } from './route.ts'

/** A parameter of a plugin's route: its text is read as its schema's type, and checked. */
export function queryParameter(
  { description, schema, isRequired = false }: PluginParameter,
  validate: Validator,
): Parameter<QueryValue> {
  const isList = schema.type === 'array'
  return {
    description,
    schema,
    style: isList ? 'list' : 'single',
    isRequired,
    parse: ([given], faults) => {
      if (!given) return undefined
      const value = isList ? listOf(given) : scalarOf(given, schema, faults)
      if (value === undefined) return undefined
      const [issue] = validate(value)
      if (!issue) return value
      faults.addIssue({ ...issue, path: given.name })
      return undefined
    },
  }
}

const listOf = ({ values }: Given): readonly string[] => values.flatMap((value) => value.split(','))

/** The one value that a text names. A text that names none stays one, so that the schema says what is wrong. */
function scalarOf({ name, values }: Given, { type }: JsonSchema, faults: Faults): QueryValue | undefined {
  const [text = ''] = values
  if (values.length > 1) {
    faults.add(name, 'repeated', 'may stand only once')
    return undefined
  }
  return scalarIn(text, type)
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/

/** A path's or query's text as a value of a JSON Schema type. */
export function scalarIn(text: string, type: unknown): string | number | boolean {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  if ((type === 'integer' || type === 'number') && NUMBER.test(text)) return Number(text)
  return text
}
