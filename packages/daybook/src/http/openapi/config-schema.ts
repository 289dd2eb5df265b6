import { isRecord, type JsonSchema } from '../../fields/field.ts'

/** Keywords by which a schema names itself, or finds others in ways that a document of many schemas cannot follow. */
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
/** Keywords that hold schemas by name, which mean something only where a reference leads to them. */
const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions'])

type Visit = (schema: JsonSchema) => unknown

/** The members of a schema, with a function applied to each schema directly inside of it. */
function mapInner(schema: JsonSchema, visit: Visit): JsonSchema {
  const each = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(each)
    return isRecord(value) ? visit(value) : value
  }
  const members = Object.entries(schema).map(([keyword, value]) => {
    if (INNER.has(keyword)) return [keyword, each(value)]
    const isNamed = (NAMED.has(keyword) || DEFINITIONS.has(keyword)) && isRecord(value)
    return [keyword, isNamed ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, each(one)])) : value]
  })
  return Object.fromEntries(members)
}

/** True if a schema refers to nothing but its own parts, by pointers. What it calls itself does not matter then. */
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

/** A pointer into the schema that holds it; only ASCII characters may be percent-encoded. */
const OWN_REF = /^#(?:\/(?:[^%]|%[0-7][\da-f])*)?$/i

/** The part of a schema to which a reference leads; `undefined` where it leads elsewhere. */
export function resolveRef(root: JsonSchema, ref: string): JsonSchema | boolean | undefined {
  if (!OWN_REF.test(ref)) return undefined
  let part: unknown = root
  for (const segment of segmentsOf(ref)) part = Object(part)[segment]
  return isRecord(part) || typeof part === 'boolean' ? part : undefined
}

const segmentsOf = (ref: string): readonly string[] =>
  decodeURIComponent(ref)
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))

/**
 * The name of the part to which a reference leads, among the schemas of a document.
 *
 * @param name the name of the whole schema
 */
export function nameSchemaPart(name: string, ref: string): string {
  const [first = '', ...rest] = segmentsOf(ref)
  const segments = DEFINITIONS.has(first) ? rest : [first, ...rest]
  return [name, ...segments.filter((one) => one !== '').map((segment) => segment.replaceAll(UNFIT, code))].join('.')
}

/** Characters that names of schemas do not take, and the one between parts of a name. */
const UNFIT = /[^A-Za-z0-9_-]/g
const code = (character: string): string => `_${character.charCodeAt(0).toString(16)}`

/** A schema without its definitions, with each of its references replaced. */
export function replaceRefs(
  { $schema: _, $id: __, ...schema }: JsonSchema,
  replace: (ref: string) => string,
): JsonSchema {
  const members = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !DEFINITIONS.has(keyword)))
  const { $ref } = members
  const inner = mapInner(members, (one) => replaceRefs(one, replace))
  return typeof $ref === 'string' ? { ...inner, $ref: replace($ref) } : inner
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
export function toMergePatchSchema(schema: JsonSchema): JsonSchema | undefined {
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
  const patch = toMergePatchSchema(schema)
  return patch === undefined ? true : { anyOf: [patch, { type: 'null' }] }
}
