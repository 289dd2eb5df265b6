import { validationError } from '../../errors.ts'
import { isRecord, type JsonSchema } from '../../fields/field.ts'
import type { Issue } from '../../issues.ts'
import type { DocumentModel } from '../../model/model.ts'
import type { Validator } from '../../model/validator.ts'
import type { FieldRights } from '../access/field-access.ts'
import { dropIgnoredKeys, getServedKeys, type Values } from '../documents/document.ts'
import { findRepeatedKeys } from '../documents/item-keys.ts'
import { refuseHostile } from '../documents/plain-json.ts'

type Side = 'create' | 'update' | 'draft'

/** Returns the validator of a document without its absent fields: a body is checked as if the config did not have them. */
function getValidator(document: DocumentModel, side: Side, absent: ReadonlySet<string>): Validator {
  // Few sets of absent fields occur, since rules distinguish few kinds of callers.
  return document.validators.get([side, ...absent].join(), () => getSchemaWithout(document, side, absent))
}

export function getSchemaWithout(
  document: DocumentModel,
  side: keyof DocumentModel['schemas'],
  absent: ReadonlySet<string>,
): JsonSchema {
  const schema = document.schemas[side]
  if (absent.size === 0) return schema
  const absentKeys = getServedKeys(document, absent)
  const properties = Object.entries(schema.properties as object).filter(([key]) => !absentKeys.has(key))
  const required = ((schema.required ?? []) as readonly string[]).filter((key) => !absentKeys.has(key))
  return { ...schema, properties: Object.fromEntries(properties), required }
}

/**
 * Validates a body, and drops read-only keys.
 *
 * @param isPartial true if the body is merged into the stored document, which may have the required fields that its objects lack
 * @throws VALIDATION_ERROR with all issues
 */
export function checkBody(
  document: DocumentModel,
  side: Side,
  body: unknown,
  rights: FieldRights,
  { isPartial = false }: { readonly isPartial?: boolean } = {},
): Values {
  refuseHostile(body)
  const input = normalizeSlugs(document, dropIgnoredKeys(document, body, rights))
  const issues = getValidator(document, side, rights.absent)(input)
  const repeated =
    issues.length > 0 ? [] : document.fields.flatMap(({ key, field }) => findRepeatedKeys(field, input[key], `/${key}`))
  const reported = isPartial ? issues.filter((issue) => !canBeStored(issue, input)) : [...issues, ...repeated]
  if (reported.length > 0) throw validationError(reported)
  return input
}

/** Returns true if the stored document may have a field that the body lacks: objects are merged, but lists are replaced. */
function canBeStored({ code, path }: Issue, body: unknown): boolean {
  if (code !== 'required') return false
  let value = body
  for (const key of path.slice(1).split('/')) {
    if (Array.isArray(value)) return false
    value = isRecord(value) ? value[key.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined
  }
  return true
}

/**
 * Returns the fields of a body before validation, for `beforeValidate` hooks.
 *
 * @throws VALIDATION_ERROR if the body names unknown fields, with the issues of all fields; or if it contains values that no document can have
 */
export function checkKeys(document: DocumentModel, side: Side, body: unknown, rights: FieldRights): Values {
  refuseHostile(body)
  const fields = dropIgnoredKeys(document, body, rights)
  const isKnown = Object.keys(fields).every((key) => Object.hasOwn(document.fieldMap, key) && !rights.absent.has(key))
  return isKnown ? fields : checkBody(document, side, body, rights)
}

/** Normalizes slugs, which are compared in NFC. */
function normalizeSlugs(document: DocumentModel, input: Values): Values {
  const entries = Object.entries(input).map(([key, value]) => {
    const isNormal = typeof value !== 'string' || document.fieldMap[key]?.type.role !== 'slug'
    return [key, isNormal ? value : value.normalize('NFC')] as const
  })
  return Object.fromEntries(entries)
}
