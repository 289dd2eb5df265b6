import { isRecord, type JsonSchema } from '../../fields/field.ts'

/** Keywords by which a schema names itself or refers to others, and which a document with many schemas cannot resolve. */
const NAMING: readonly string[] = ['$id', '$anchor', '$dynamicRef', '$dynamicAnchor', '$vocabulary']
/** Keywords that hold one schema, or a list of schemas. */
const INNER: ReadonlySet<string> = new Set([
  'additionalProperties',
  'allOf',
  'anyOf',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'oneOf',
  'prefixItems',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
])
/** Keywords that hold schemas by name. */
const NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas'])
/** Keywords that hold schemas by name, for references only. */
const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions'])

type Visit = (schema: JsonSchema) => unknown

/** Applies a function to each direct subschema of a schema. */
function mapInner(schema: JsonSchema, visit: Visit): JsonSchema {
  const each = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(each)
    return isRecord(value) ? visit(value) : value
  }
  const members = Object.entries(schema).map(([keyword, value]) => {
    if (INNER.has(keyword)) return [keyword, each(value)]
    const isNamed = (NAMED.has(keyword) || DEFINITIONS.has(keyword)) && isRecord(value)
    return [
      keyword,
      isNamed ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, each(inner)])) : value,
    ]
  })
  return Object.fromEntries(members)
}

/** True if a schema refers only to its parts, and only by pointers. Its `$id` does not matter then. */
export const isSelfContained = ({ $id: _, ...schema }: JsonSchema): boolean => hasOwnRefs(schema, schema)

function hasOwnRefs(schema: JsonSchema, root: JsonSchema): boolean {
  if (NAMING.some((keyword) => Object.hasOwn(schema, keyword))) return false
  if (typeof schema.$ref === 'string' && resolveRef(root, schema.$ref) === undefined) return false
  let isOwn = true
  mapInner(schema, (inner) => {
    isOwn &&= hasOwnRefs(inner, root)
  })
  return isOwn
}

/** A pointer into the same schema; only ASCII characters may be percent-encoded. */
const OWN_REF = /^#(?:\/(?:[^%]|%[0-7][\da-f])*)?$/i

/** Resolves a reference within a schema; `undefined` if it points elsewhere. */
export function resolveRef(root: JsonSchema, ref: string): JsonSchema | boolean | undefined {
  if (!OWN_REF.test(ref)) return undefined
  let part: unknown = root
  for (const segment of splitPointer(ref)) part = Object(part)[segment]
  return isRecord(part) || typeof part === 'boolean' ? part : undefined
}

const splitPointer = (ref: string): readonly string[] =>
  decodeURIComponent(ref)
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))

/**
 * Names the part to which a reference points, as a schema of the document.
 *
 * @param name the name of the whole schema
 */
export function nameSchemaPart(name: string, ref: string): string {
  const [first = '', ...rest] = splitPointer(ref)
  const segments = DEFINITIONS.has(first) ? rest : [first, ...rest]
  return [
    name,
    ...segments.filter((value) => value !== '').map((segment) => segment.replaceAll(INVALID, escapeCharacter)),
  ].join('.')
}

/** Characters that are invalid in names of schemas, and the separator between parts of a name. */
const INVALID = /[^A-Za-z0-9_-]/g
const escapeCharacter = (character: string): string => `_${character.charCodeAt(0).toString(16)}`

/** Removes the definitions of a schema, and replaces its references. */
export function replaceRefs(
  { $schema: _, $id: __, ...schema }: JsonSchema,
  replace: (ref: string) => string,
): JsonSchema {
  const members = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !DEFINITIONS.has(keyword)))
  const { $ref } = members
  const inner = mapInner(members, (value) => replaceRefs(value, replace))
  return typeof $ref === 'string' ? { ...inner, $ref: replace($ref) } : inner
}

/** Keywords that compose a schema of others. */
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
 * Returns the schema of a merge patch (RFC 7396) to values of a schema: its members have to be valid, nothing is required, and `null`
 * removes a member. `undefined` if the schema does not tell which parts of its values are valid.
 */
export function toMergePatchSchema(schema: JsonSchema): JsonSchema | undefined {
  if (COMPOSED.some((keyword) => Object.hasOwn(schema, keyword))) return undefined
  const types = [schema.type ?? 'object'].flat()
  // A patch that is not an object replaces the value.
  if (!types.includes('object')) return schema
  if (types.length > 1) return undefined
  const { properties = {}, additionalProperties = true, description } = schema
  const members = Object.entries(properties as object).map(([key, value]) => [
    key,
    toMemberPatch(value as JsonSchema | boolean),
  ])
  return {
    ...(description === undefined ? {} : { description }),
    ...(schema.type === undefined ? {} : { type: 'object' }),
    properties: Object.fromEntries(members),
    additionalProperties: toMemberPatch(additionalProperties as JsonSchema | boolean),
  }
}

function toMemberPatch(schema: JsonSchema | boolean): JsonSchema | boolean {
  if (schema === true) return true
  if (schema === false) return { type: 'null' }
  const patch = toMergePatchSchema(schema)
  return patch === undefined ? true : { anyOf: [patch, { type: 'null' }] }
}
