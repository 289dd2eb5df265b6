import type { ConfigFault } from '../config/check-config.ts'
import type { DaybookConfig } from '../config/config.ts'
import { type Field, isRecord } from '../fields/field.ts'
import { type Issue, moveIssue } from '../issues.ts'
import { nestWriteSchema } from './schema.ts'
import { findSchemaFault, Validators } from './validator.ts'

/** Finds faults of fields that need a validator: invalid defaults, and broken JSON Schemas. */
export function checkValues(config: unknown): readonly ConfigFault[] {
  const { collections, globals } = (isRecord(config) ? config : {}) as Partial<DaybookConfig>
  return Object.entries({ collections, globals }).flatMap(([kind, documents]) =>
    toEntries(documents).flatMap(([key, document]) =>
      checkFieldValues(isRecord(document) ? document.fields : undefined, `${kind}.${key}.fields`),
    ),
  )
}

const toEntries = (value: unknown): readonly (readonly [string, unknown])[] =>
  isRecord(value) ? Object.entries(value) : []

function checkFieldValues(fields: unknown, path: string): readonly ConfigFault[] {
  return toEntries(fields).flatMap(([key, field]) => (isField(field) ? checkField(field, `${path}.${key}`) : []))
}

const isField = (field: unknown): field is Field => isRecord(field) && isRecord(field.type) && isRecord(field.options)

function checkField(field: Field, path: string): readonly ConfigFault[] {
  const { type, options } = field
  const item: unknown = type.item?.(options)
  const inner = type.inner?.(options) ?? []
  return [
    ...checkConfigValues(field, path),
    ...inner.flatMap((innerFields) => checkFieldValues(innerFields.fields, `${path}.${innerFields.path}`)),
    ...(isField(item) ? checkField(item, `${path}.of`) : []),
  ]
}

function checkConfigValues(field: Field, path: string): readonly ConfigFault[] {
  const { type, options } = field
  const schema = type.customSchema?.(options)
  const fault = isRecord(schema) ? findSchemaFault(schema) : undefined
  if (fault) return [{ path: `${path}.schema`, message: `must be a JSON Schema (2020-12): ${fault}` }]
  const { default: configDefault, fill } = options
  // Default values of types are valid. Skipping them lets a start without other defaults create no validator.
  const values = { default: type.default && configDefault, fill }
  return Object.entries(values).flatMap(([option, value]) =>
    // The result of a function is validated when it is made.
    value === undefined || typeof value === 'function' || (option === 'fill' && type.converter?.(options))
      ? []
      : findIssues(field, option, value).map((issue) => moveIssue(path, issue)),
  )
}

/** Returns the issues of an option's value, or none if other options of the field are invalid, which are already reported. */
function findIssues(field: Field, option: string, value: unknown): readonly Issue[] {
  try {
    const schema = field.type.schema(field.options, nestWriteSchema)
    return new Validators().make({ type: 'object', properties: { [option]: schema } })({ [option]: value })
  } catch {
    return []
  }
}
