import { type Field, type Fields, innerFields, isRecord } from '../../fields/field.ts'
import type { CollectionModel, GlobalModel } from '../../model/model.ts'
import type { AccessFilter } from '../../query/where.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { Writer } from '../../store/writes/writer.ts'
import {
  authorizeRequiredFields,
  dropUnwritable,
  type FieldRights,
  refuseHiddenMerge,
  resolveFieldRights,
  writesHiddenFields,
} from '../access/field-access.ts'
import type { Values } from '../documents/document.ts'
import { refuseHostile } from '../documents/plain-json.ts'
import { prepareFields } from '../documents/prepare-fields.ts'
import { type StoredColumns, StoredRevision } from '../documents/row.ts'
import type { CanonicalDocument } from '../locales/localized.ts'
import { type Preconditions, requirePreconditions } from '../reads/etags.ts'
import { project, toProjectionTag } from '../reads/present.ts'
import { checkBody, checkKeys } from './body.ts'
import { compose } from './compose.ts'
import { createFieldTools, type HookedDocument, hooksFor, type WriteContext } from './context.ts'
import { type PreparedWrite, StaleWrite } from './pipeline.ts'
import { runBeforeChange, runBeforeValidate } from './run-hooks.ts'

/** The body of an update, validated without the stored document. */
export interface UpdateBody {
  /** The fields that the body names. They are validated again after a merge or after hooks. */
  readonly fields: Values
  readonly rights: FieldRights
  /** The `beforeValidate` hooks, which run before the fields are validated. */
  readonly hooks: HookedDocument | undefined
  readonly isMerge: boolean
  readonly isDraft: boolean
}

export interface UpdateKind {
  /** Merges inside objects (RFC 7396) instead of replacing them. @default false */
  readonly isMerge?: boolean
  /** Updates a draft, which may lack required values and runs no hooks. @default false */
  readonly isDraft?: boolean
}

/**
 * Parses the body of an update, which can then be prepared for one or more documents.
 *
 * @throws VALIDATION_ERROR
 */
export function parseUpdate(
  context: WriteContext,
  document: CollectionModel | GlobalModel,
  body: unknown,
  { isMerge = false, isDraft = false }: UpdateKind = {},
): UpdateBody {
  const rights = resolveFieldRights(document, context.access)
  const hooks = isDraft ? undefined : hooksFor(context, document, 'beforeValidate')
  const fields = hooks
    ? checkKeys(document, 'update', body, rights)
    : checkFields(document, isDraft ? 'draft' : 'update', body, rights, isMerge)
  if (isMerge) refuseHiddenMerge(document, fields, rights)
  return { fields, rights, hooks, isMerge, isDraft }
}

function checkFields(
  document: CollectionModel | GlobalModel,
  side: 'draft' | 'update',
  body: unknown,
  rights: FieldRights,
  isMerge: boolean,
): Values {
  if (!isMerge) return checkBody(document, side, body, rights)
  refuseHostile(body)
  const patch = isRecord(body) ? mergePatch(document.fieldMap, {}, body) : body
  checkBody(document, side, patch, rights, { isPartial: true })
  return isRecord(body) ? body : {}
}

export interface UpdateOptions extends Preconditions {
  /** The prepared update keeps no parsed document in memory, and reads it again to commit. @default false */
  readonly releasesSnapshot?: boolean
}

/** A document to update: an entry, its draft, or a global. */
export interface UpdateTarget<Row extends StoredColumns, Result> {
  readonly document: CollectionModel | GlobalModel
  /** The id of an entry, or the key of a global. */
  readonly id: string
  /** True if an update must name the revision that it is based on. */
  readonly requiresIfMatch: boolean
  /** @throws NOT_FOUND, UNAUTHORIZED, FORBIDDEN */
  load(read: Reader): Promise<Row>
  /**
   * Checks access to the document as it is stored. The rule is evaluated once for each revision.
   *
   * @throws UNAUTHORIZED, FORBIDDEN
   */
  authorizeUpdate(read: Reader, revision: StoredRevision<Row>): Promise<void>
  /**
   * Checks access to the document as it would be after the update.
   *
   * @returns the filter that the stored result must match
   * @throws UNAUTHORIZED, FORBIDDEN
   */
  authorizeResult(revision: StoredRevision<Row>, patch: Values): Promise<AccessFilter | undefined>
  /**
   * Adds values that depend on other documents, such as a slug.
   *
   * @throws VALIDATION_ERROR if a value conflicts with other documents
   */
  derive(read: Reader, values: Values, before: StoredRevision<Row>): Promise<Values>
  /** Stores the result, unless it equals the stored document. */
  store(writer: Writer, revision: StoredRevision<Row>, next: NextRevision, rights: FieldRights): Promise<Result>
}

export interface NextRevision {
  readonly canonical: CanonicalDocument
  /** The fields that the update names, in their stored form. */
  readonly patch: Values
  /** True if nothing is stored when nothing changes. False if that would reveal a value that the caller may not read. */
  readonly skipsUnchanged: boolean
  /** The filter that the stored result must match. */
  readonly filter: AccessFilter | undefined
}

/**
 * Prepares an update of a document.
 *
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, PRECONDITION_REQUIRED; PRECONDITION_FAILED with
 * `details.current`; its commit also CONFLICT with `details.field`
 */
export async function prepareUpdate<Row extends StoredColumns, Result>(
  context: WriteContext,
  target: UpdateTarget<Row, Result>,
  body: UpdateBody,
  options: UpdateOptions = {},
): Promise<PreparedWrite<Result>> {
  const { content, access, locale } = context
  const { model, store } = content
  const { document, id } = target
  const { rights, isMerge, isDraft } = body
  const loaded = new StoredRevision(model, document, await target.load(store.read))
  await target.authorizeUpdate(store.read, loaded)
  requireCurrent(target, loaded, rights, options)
  // Hidden values must have no effect: neither on the result of a merge, nor on which texts are rendered again.
  const before = isStored(loaded) ? project(document, loaded.getLocaleValues(locale), rights) : undefined
  const fields = dropUnwritable(document, access, await readFields(context, target, body, before), before)
  const patch = await prepareFields(document, fields, before, createFieldTools(context, document, loaded.canonical))
  const filter = await target.authorizeResult(loaded, patch)
  const hooks = isDraft ? undefined : hooksFor(context, document, 'beforeChange', 'validate')
  const { seq } = loaded.row
  // A merge is computed from the loaded revision, and so are the defaults of a first write.
  const dependsOnRevision = isMerge || seq === 0
  // The commit refers to the parsed revision only through this name, so that it can be released.
  const snapshot = options.releasesSnapshot ? undefined : loaded
  return {
    exclusive: hooks !== undefined,
    ...(options.releasesSnapshot ? { size: JSON.stringify(patch).length } : {}),
    commit: async (transaction) => {
      const { writer } = transaction
      const row = await target.load(writer.read)
      const stored = snapshot?.withRow(row) ?? new StoredRevision(model, document, row)
      const hasMoved = row.seq !== seq
      await target.authorizeUpdate(writer.read, stored)
      requireCurrent(target, stored, rights, options)
      if (hasMoved && dependsOnRevision) throw new StaleWrite()
      if (!isStored(stored)) authorizeRequiredFields(document, patch, rights, access)
      const derive = (values: Values): Promise<Values> => target.derive(writer.read, values, stored)
      const composition = { document, before: stored, patch, rights, derive, isDraft }
      const composed = await compose(context, writer.read, composition)
      const action = isStored(stored) ? 'update' : 'create'
      const change = { context, transaction, action, id, system: stored.valuesWithAuthors } as const
      const result = hooks ? await runBeforeChange(hooks, change, composition, composed) : composed
      const next = {
        canonical: result.canonical,
        patch: result.patch,
        skipsUnchanged: !writesHiddenFields(result.isChangedByHook ? result.patch : fields, rights),
        // The rule was evaluated for the loaded revision and patch. Evaluate it again for any other result.
        filter: hasMoved || result.isChangedByHook ? await target.authorizeResult(stored, result.patch) : filter,
      }
      return target.store(writer, stored, next, rights)
    },
  }
}

/** True if the document has been written; a global that was never written has no revision. */
const isStored = ({ row }: StoredRevision): boolean => row.seq > 0

function requireCurrent<Row extends StoredColumns>(
  { document, requiresIfMatch }: Pick<UpdateTarget<Row, unknown>, 'document' | 'requiresIfMatch'>,
  { row: { seq } }: StoredRevision,
  rights: FieldRights,
  preconditions: Preconditions,
): void {
  requirePreconditions(preconditions, seq, toProjectionTag(document, seq, rights), requiresIfMatch)
}

/**
 * Merges the fields of a body and runs its `beforeValidate` hooks.
 *
 * @param before the stored document as far as the caller may read it; `undefined` if there is none
 * @throws VALIDATION_ERROR for the result; what a hook throws
 */
async function readFields(
  context: WriteContext,
  { document, id }: Pick<UpdateTarget<StoredColumns, unknown>, 'document' | 'id'>,
  { fields, rights, hooks, isMerge, isDraft }: UpdateBody,
  before: Values | undefined,
): Promise<Values> {
  if (!isMerge && !hooks) return fields
  const merged = isMerge ? mergePatch(document.fieldMap, before ?? {}, fields) : fields
  const action = before ? 'update' : 'create'
  const data = hooks ? await runBeforeValidate(context, hooks, { action, id, data: merged }) : merged
  return checkBody(document, isDraft ? 'draft' : 'update', data, rights)
}

/**
 * Applies a merge patch (RFC 7396) to fields. The RFC removes members that are `null`; here the `null` stays, and clears the field.
 *
 * @returns the merged values of the fields that the patch names
 */
function mergePatch(fields: Fields, target: Readonly<Values>, patch: Readonly<Values>): Values {
  const merged = Object.entries(patch).map(([key, value]) => {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined
    return [key, field && isRecord(value) ? mergeField(field, target[key], value) : value]
  })
  return Object.fromEntries(merged)
}

function mergeField(field: Field, stored: unknown, patch: Readonly<Values>): unknown {
  const before = isRecord(stored) ? stored : {}
  const [inner] = field.type.isGroup ? innerFields(field) : []
  if (inner) return { ...before, ...mergePatch(inner, before, patch) }
  return field.type.hasFreeKeys ? mergeJson(before, patch) : patch
}

/** Applies a merge patch (RFC 7396, section 2) to plain JSON. */
function mergeJson(target: Readonly<Values>, patch: Readonly<Values>): Values {
  const merged: Values = { ...target }
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key]
    else if (isRecord(value)) merged[key] = mergeJson(isRecord(merged[key]) ? merged[key] : {}, value)
    else merged[key] = value
  }
  return merged
}
