import { isRecord, type JsonSchema } from '../fields/field.ts'
import { compileFault } from './validator.ts'

/** A fault in a JSON Schema itself, or nothing. */
export function schemaFault(schema: JsonSchema): string | undefined {
  // The schema of JSON Schemas takes a twentieth of a second to compile, which every start would wait for.
  return isPlain(schema) ? undefined : compileFault(schema)
}

const TYPES: ReadonlySet<unknown> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])

const isText = (value: unknown): boolean => typeof value === 'string'
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0

/** What the everyday keywords hold (JSON Schema 2020-12), at its narrowest. */
const KEYWORDS: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['type', (value) => TYPES.has(value)],
  ['title', isText],
  ['description', isText],
  ['enum', (value) => Array.isArray(value) && value.length > 0 && areDifferentTexts(value)],
  ['minimum', Number.isFinite],
  ['maximum', Number.isFinite],
  ['minLength', isCount],
  ['maxLength', isCount],
  ['items', isPlain],
  ['properties', (value) => isRecord(value) && Object.values(value).every(isPlain)],
  ['required', areDifferentTexts],
  ['additionalProperties', (value) => typeof value === 'boolean' || isPlain(value)],
])

function areDifferentTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText) && new Set(value).size === value.length
}

/** Whether a schema is seen to be one without the schema of JSON Schemas; another one may be one, too. */
function isPlain(schema: unknown): boolean {
  return isRecord(schema) && Object.entries(schema).every(([name, value]) => KEYWORDS.get(name)?.(value) ?? false)
}
