import { isRecord, type JsonSchema } from '../../fields/field.ts'

/** Keywords by which a schema names itself, or finds others in ways that a document of many schemas cannot follow. */
const NAMING: readonly string[] = ['$id', '$anchor', '$dynamicRef', '$dynamicAnchor', '$vocabulary']
/** Keywords that hold values, not schemas. */
const VALUES: readonly string[] = ['const', 'enum', 'default', 'examples']

/** Whether a schema refers to nothing but its own parts, by pointers. What it calls itself does not matter then. */
export const isMovable = ({ $id: _, ...schema }: JsonSchema): boolean => hasOwnRefs(schema)

function hasOwnRefs(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(hasOwnRefs)
  if (!isRecord(schema)) return true
  if (NAMING.some((keyword) => Object.hasOwn(schema, keyword))) return false
  if (typeof schema.$ref === 'string' && !/^#(?:\/|$)/.test(schema.$ref)) return false
  return Object.entries(schema).every(([keyword, value]) => VALUES.includes(keyword) || hasOwnRefs(value))
}

/**
 * A schema with references into itself, as it stands below another address.
 *
 * @param address such as `#/components/schemas/Place`
 */
export function moved({ $schema: _, $id: __, ...schema }: JsonSchema, address: string): JsonSchema {
  return moveRefs(schema, address) as JsonSchema
}

function moveRefs(value: unknown, address: string): unknown {
  if (Array.isArray(value)) return value.map((item) => moveRefs(item, address))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([keyword, inner]) => {
      if (keyword === '$ref' && typeof inner === 'string') return [keyword, `${address}${inner.slice(1)}`]
      return [keyword, VALUES.includes(keyword) ? inner : moveRefs(inner, address)]
    }),
  )
}

/** Keywords by which a schema is put together of others. */
const COMPOSED: readonly string[] = [
  '$ref',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'dependentSchemas',
  'patternProperties',
]

/**
 * The schema of a merge patch (RFC 7396) to values of a schema: what it names has to fit, nothing is required, and `null`
 * removes a member. `undefined` where the schema does not tell what parts of its values may be.
 */
export function mergePatchOf(schema: JsonSchema): JsonSchema | undefined {
  if (COMPOSED.some((keyword) => Object.hasOwn(schema, keyword))) return undefined
  const types = [schema.type ?? 'object'].flat()
  // Anything but an object takes the place of what was there.
  if (!types.includes('object')) return schema
  if (types.length > 1) return undefined
  const { properties = {}, additionalProperties = true, description } = schema
  const members = Object.entries(properties as object).map(([key, one]) => [
    key,
    memberPatch(one as JsonSchema | boolean),
  ])
  return {
    ...(description === undefined ? {} : { description }),
    ...(schema.type === undefined ? {} : { type: 'object' }),
    properties: Object.fromEntries(members),
    additionalProperties: memberPatch(additionalProperties as JsonSchema | boolean),
  }
}

/** What a merge patch may say of one member. */
function memberPatch(schema: JsonSchema | boolean): JsonSchema | boolean {
  if (schema === true) return true
  if (schema === false) return { type: 'null' }
  const patch = mergePatchOf(schema)
  return patch === undefined ? true : { anyOf: [patch, { type: 'null' }] }
}
