import { DaybookError, validationError } from '../../errors.ts'
import { isRecord } from '../../fields/field.ts'
import { createIssue } from '../../issues.ts'
import type { DocumentModel } from '../../model/model.ts'
import { findMissingFields, type Values } from '../documents/document.ts'
import type { Access } from './access.ts'
import { refuseCaller } from './rules.ts'

/** The rights of a caller to the top-level fields of a document, by their keys. */
export interface FieldRights {
  /** Fields that the caller may not read. */
  readonly hidden: ReadonlySet<string>
  /** Hidden fields that the caller may not write, either; they do not exist for writes. */
  readonly absent: ReadonlySet<string>
  /** True if the caller may see the authors of the document. */
  readonly hasAuthors: boolean
}

const NO_KEYS: ReadonlySet<string> = new Set()

/** The rights of a caller without restrictions by field rules. */
export const FULL_RIGHTS: FieldRights = { hidden: NO_KEYS, absent: NO_KEYS, hasAuthors: true }
/** {@link FULL_RIGHTS} of a caller who may not see the authors of the document. */
export const RIGHTS_WITHOUT_AUTHORS: FieldRights = { ...FULL_RIGHTS, hasAuthors: false }

/**
 * Evaluates the field rules for a caller. A hidden field can only be written if a `write` rule allows it.
 *
 * @throws INTERNAL_ERROR if a rule throws
 */
export function resolveFieldRights(document: DocumentModel, access: Access): FieldRights {
  const hidden = access.hidden(document)
  const hasAuthors = access.canSeeAuthors(document)
  if (hidden.size === 0) return hasAuthors ? FULL_RIGHTS : RIGHTS_WITHOUT_AUTHORS
  const absent = document.guarded.filter(
    (field) => hidden.has(field.key) && !(field.access.write && access.canWriteField(document, field)),
  )
  return { hidden, absent: new Set(absent.map(({ key }) => key)), hasAuthors }
}

/** Returns true if the body has a field that the caller may not read. */
export function writesHiddenFields(input: Values, { hidden }: FieldRights): boolean {
  return Object.keys(input).some((key) => hidden.has(key))
}

/**
 * Rejects a merge into values that the caller may not read, because the validity of the result would reveal them.
 *
 * @throws VALIDATION_ERROR
 */
export function refuseHiddenMerge({ fields }: DocumentModel, patch: Values, { hidden }: FieldRights): void {
  const merged = fields.filter(({ key, field: { type } }) => {
    const isMerged = type.isGroup === true || type.hasFreeKeys === true
    return isMerged && hidden.has(key) && isRecord(patch[key])
  })
  const message = 'cannot be merged, because you are not allowed to read it. Write the whole value with PUT.'
  const issues = merged.map(({ key }) => createIssue(`/${key}`, 'merge', message))
  if (issues.length > 0) throw validationError(issues)
}

/**
 * Rejects a new document that lacks a required value which the caller may not write.
 *
 * @param values the new document, with its defaults
 * @throws UNAUTHORIZED, FORBIDDEN; neither names the field, which does not exist for the caller
 */
export function authorizeRequiredFields(
  document: DocumentModel,
  values: Values,
  { absent }: FieldRights,
  { caller }: Access,
): void {
  const isLacking = document.fields.some(
    (field) => absent.has(field.key) && findMissingFields(field, values).length > 0,
  )
  if (isLacking)
    refuseCaller(
      caller,
      `the access rules do not allow you to write a field that new entries of ${document.key} require`,
    )
}

/**
 * Removes the fields that the caller may not write from a body if their values are the stored ones.
 *
 * @throws FORBIDDEN if one of them would change
 */
export function dropUnwritable(
  document: DocumentModel,
  access: Access,
  body: Values,
  stored: Values | undefined,
): Values {
  const unwritable = document.fields.filter(
    (field) => Object.hasOwn(body, field.key) && !access.canWriteField(document, field),
  )
  if (unwritable.length === 0) return body
  const changed = unwritable.filter(({ key }) => JSON.stringify(body[key]) !== JSON.stringify(stored?.[key] ?? null))
  if (changed.length > 0) {
    const issues = changed.map(({ key }) => createIssue(`/${key}`, 'forbidden', `You are not allowed to write ${key}.`))
    throw new DaybookError('FORBIDDEN', 'You are not allowed to write some fields of the body. See details.issues.', {
      issues,
    })
  }
  const unwritableKeys = new Set(unwritable.map(({ key }) => key))
  return Object.fromEntries(Object.entries(body).filter(([key]) => !unwritableKeys.has(key)))
}
