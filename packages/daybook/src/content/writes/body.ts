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

/** The validator of a document without its absent fields: a body is checked as if the config did not have them. */
function validatorOf(document: DocumentModel, side: Side, absent: ReadonlySet<string>): Validator {
  // The rules of a config tell few kinds of callers apart.
  return document.validators.get([side, ...absent].join(), () => getSchemaWithout(document, side, absent))
}

/** One of a document's schemas, without these fields. */
export function getSchemaWithout(
  document: DocumentModel,
  side: keyof DocumentModel['schemas'],
  absent: ReadonlySet<string>,
): JsonSchema {
  const schema = document.schemas[side]
  if (absent.size === 0) return schema
  const left = getServedKeys(document, absent)
  const properties = Object.entries(schema.properties as object).filter(([key]) => !left.has(key))
  const required = ((schema.required ?? []) as readonly string[]).filter((key) => !left.has(key))
  return { ...schema, properties: Object.fromEntries(properties), required }
}

/**
 * Checks a body against the schema of what it is to do, and drops what is read-only.
 *
 * @param isPartial the body is to be merged, so that what is stored may hold required fields that its objects lack
 * @throws VALIDATION_ERROR with one issue for each fault
 */
export function checkBody(
  document: DocumentModel,
  side: Side,
  body: unknown,
  rights: FieldRights,
  { isPartial = false }: { readonly isPartial?: boolean } = {},
): Values {
  refuseHostile(body)
  const input = normalized(document, dropIgnoredKeys(document, body, rights))
  const issues = validatorOf(document, side, rights.absent)(input)
  const repeated =
    issues.length > 0 ? [] : document.fields.flatMap(({ key, field }) => findRepeatedKeys(field, input[key], `/${key}`))
  const said = isPartial ? issues.filter((issue) => !mayBeStored(issue, input)) : [...issues, ...repeated]
  if (said.length > 0) throw validationError(said)
  return input
}

/** Whether what a body lacks may be in the stored document: objects are merged, lists are replaced. */
function mayBeStored({ code, path }: Issue, body: unknown): boolean {
  if (code !== 'required') return false
  let value = body
  for (const key of path.slice(1).split('/')) {
    if (Array.isArray(value)) return false
    value = isRecord(value) ? value[key.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined
  }
  return true
}

/**
 * The fields that a body names, for hooks to see before they are checked.
 *
 * @throws VALIDATION_ERROR when it holds what no document can, or names what is no field; then with all other faults
 */
export function checkKeys(document: DocumentModel, side: Side, body: unknown, rights: FieldRights): Values {
  refuseHostile(body)
  const given = dropIgnoredKeys(document, body, rights)
  const isKnown = Object.keys(given).every((key) => Object.hasOwn(document.fieldMap, key) && !rights.absent.has(key))
  return isKnown ? given : checkBody(document, side, body, rights)
}

/** Texts whose type compares them in one Unicode form are brought into it before they are checked. */
function normalized(document: DocumentModel, input: Values): Values {
  const entries = Object.entries(input).map(([key, value]) => {
    const isNormal = typeof value !== 'string' || document.fieldMap[key]?.type.role !== 'slug'
    return [key, isNormal ? value : value.normalize('NFC')] as const
  })
  return Object.fromEntries(entries)
}
