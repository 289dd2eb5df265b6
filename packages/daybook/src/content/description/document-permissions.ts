import { DaybookError, validationErrorAt } from '../../errors.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { DocumentName } from '../../query/auth-query.ts'
import { type AccessFilter, dependsOn } from '../../query/where.ts'
import type { StoredEntry } from '../../store/rows.ts'
import type { Access } from '../access/access.ts'
import { findVisibleDrafts } from '../access/draft-access.ts'
import { resolveFieldRights } from '../access/field-access.ts'
import { type DocumentPermissions, describeReadOnlyFields } from '../access/permissions.ts'
import type { ContentContext } from '../context.ts'
import { mergeFields } from '../documents/prepare-fields.ts'
import { StoredRevision } from '../documents/row.ts'
import { proposePublished, proposeUnpublished } from '../drafts/publish.ts'
import { DraftTarget } from '../drafts/save-draft.ts'
import { getUnpublishedStatus, writeTranslation } from '../locales/localized.ts'
import { createWriteContext, type WriteContext } from '../writes/context.ts'
import { buildUpdatedEntry, EntryTarget, storeEntry } from '../writes/entry-target.ts'
import { findChangedFields, type Proposal } from '../writes/replace.ts'

export interface GlobalPermissions extends Pick<DocumentPermissions, 'fields'> {
  readonly read: true
  readonly update: boolean
}

export interface EntryPermissions extends GlobalPermissions {
  readonly delete: boolean
  readonly restore: boolean
}

export interface PublicationPermissions extends EntryPermissions {
  readonly draft: boolean
  readonly saveDraft: boolean
  readonly publish: boolean
  readonly unpublish: boolean
  /** Each status of the collection: true if an update may give it to the entry. */
  readonly statuses: Readonly<Record<string, boolean>>
}

/**
 * Returns the permissions of a caller on one stored document. The checks are those of the writes, without hooks and validators: a
 * permitted write can still fail for the values that it writes.
 *
 * @throws VALIDATION_ERROR if the caller cannot read the collection or the global; NOT_FOUND if the entry does not exist for the
 * caller; INTERNAL_ERROR if a rule fails
 */
export async function resolveDocumentPermissions(
  context: ContentContext,
  access: Access,
  name: DocumentName,
): Promise<GlobalPermissions | EntryPermissions | PublicationPermissions> {
  return 'global' in name
    ? resolveGlobalPermissions(context, access, name.global)
    : resolveEntryPermissions(context, access, name)
}

function createUnknownDocumentError(kind: 'collection' | 'global', key: string): DaybookError {
  const name = key.slice(0, 64)
  return validationErrorAt(
    kind,
    'unknown',
    `The ${kind} "${name}" does not exist, or you are not allowed to read it.`,
    { name },
  )
}

async function resolveGlobalPermissions(
  { model }: ContentContext,
  access: Access,
  key: string,
): Promise<GlobalPermissions> {
  const global = model.globals.get(key)
  if (!global || (await access.evaluateRead(global)) !== true) throw createUnknownDocumentError('global', key)
  const update = await isAuthorized(() => access.authorizeWrite(global, 'update'))
  return { read: true, update, fields: describeReadOnlyFields(global, access) }
}

async function resolveEntryPermissions(
  context: ContentContext,
  access: Access,
  { collection: key, id }: Exclude<DocumentName, { readonly global: string }>,
): Promise<EntryPermissions | PublicationPermissions> {
  const collection = context.model.collections.get(key)
  if (!collection || (await access.evaluateRead(collection)) === false)
    throw createUnknownDocumentError('collection', key)
  const { read } = context.store
  const writeContext = await createWriteContext(context, access, { isDry: true })
  const target = new EntryTarget(writeContext, collection, id)
  const entry = await target.load(read)
  const revision = new StoredRevision(context.model, collection, entry)
  const isChangeable = await isAuthorized(() => target.authorizeUpdate(read, revision))
  const stored: StoredState = { context: writeContext, collection, entry, revision, isChangeable }
  const update = isChangeable && (await canChangeTo(stored, getCurrentState(stored)))
  return {
    read: true,
    update,
    delete: await isAuthorized(() => target.authorizeDelete(read, revision)),
    restore: update,
    ...(collection.status ? await resolvePublicationPermissions(stored, collection.status, update) : {}),
    fields: describeReadOnlyFields(collection, access),
  }
}

interface StoredState {
  readonly context: WriteContext
  readonly collection: CollectionModel
  readonly entry: StoredEntry
  readonly revision: StoredRevision<StoredEntry>
  /** True if the rules allow a change of the entry by its current values. */
  readonly isChangeable: boolean
}

/** @param update true if the caller may update the entry without changing its status */
async function resolvePublicationPermissions(
  stored: StoredState,
  status: NonNullable<CollectionModel['status']>,
  update: boolean,
): Promise<Omit<PublicationPermissions, keyof GlobalPermissions | 'delete'>> {
  const { context, collection, entry, isChangeable } = stored
  const { read } = context.content.store
  const draft = (await findVisibleDrafts(context.access, read, collection, [entry.id])).has(entry.id)
  const isDraftChangeable = isChangeable && draft
  const target = new DraftTarget(context, collection, entry.id)
  const statuses: Record<string, boolean> = {}
  for (const value of status.values)
    statuses[value] =
      value === entry.status
        ? update
        : isChangeable && (await canChangeTo(stored, withStatus(stored, status.key, value)))
  const unpublishedStatus = getUnpublishedStatus(status)
  return {
    draft,
    saveDraft:
      isDraftChangeable &&
      (await isAuthorized(async () =>
        target.authorizeResult(new StoredRevision(context.content.model, collection, await target.load(read)), {}),
      )),
    restore: isDraftChangeable,
    publish: isDraftChangeable && (await canChangeTo(stored, proposePublished(context, collection, entry))),
    unpublish:
      isChangeable &&
      unpublishedStatus !== undefined &&
      (await canChangeTo(stored, proposeUnpublished(context, collection, entry, unpublishedStatus))),
    statuses,
  }
}

type NextState = Pick<Proposal, 'canonical' | 'orphaned' | 'draft'>

const getCurrentState = ({ revision, entry: { draft } }: StoredState): NextState => ({
  canonical: revision.canonical,
  orphaned: revision.orphaned,
  draft,
})

function withStatus(stored: StoredState, statusKey: string, value: string): NextState {
  const { context, collection, revision } = stored
  const values = mergeFields(collection, revision.getLocaleValues(context.locale), { [statusKey]: value })
  const defaultLocale = context.content.model.locales?.default
  const canonical = writeTranslation(collection, revision.canonical, values, context.locale, defaultLocale)
  return { ...getCurrentState(stored), canonical }
}

/**
 * Evaluates the rule for updates on the result of a write.
 *
 * @param next `undefined` if the write changes nothing
 * @throws INTERNAL_ERROR if the rule fails
 */
async function canChangeTo(stored: StoredState, next: NextState | undefined): Promise<boolean> {
  const { context, collection, entry, revision } = stored
  if (!next || !collection.access.update) return true
  const patch = findChangedFields(collection, revision.values, next.canonical.values)
  const result = buildUpdatedEntry(context, collection, revision, patch)
  const accessResult = await context.access.evaluateWrite(collection, 'update', result)
  if (typeof accessResult === 'boolean') return accessResult
  const changedKeys = new Set([...Object.keys(patch), 'updatedAt', 'updatedBy'])
  if (dependsOn(accessResult.where, collection, changedKeys)) return matchesOnceStored(stored, next, accessResult)
  return (await context.content.store.read.entries.statuses(collection, [entry.id], accessResult.where)).length > 0
}

/**
 * Compares the result of a write with a filter. Only the database compares exactly like the write, so the result is stored in a
 * transaction that is rolled back.
 */
async function matchesOnceStored(
  { context, collection, entry: { id } }: StoredState,
  next: NextState,
  { where }: AccessFilter,
): Promise<boolean> {
  const target = new EntryTarget(context, collection, id)
  const rights = resolveFieldRights(collection, context.access)
  try {
    return await context.transact(
      async (writer) => {
        const revision = new StoredRevision(context.content.model, collection, await target.load(writer.read))
        await storeEntry(context, writer, collection, revision, next, rights)
        return (await writer.read.entries.statuses(collection, [id], where)).length > 0
      },
      { exclusive: true },
    )
  } catch (error) {
    // The write fails with this conflict before the rule is evaluated.
    if (error instanceof DaybookError && error.code === 'CONFLICT') return true
    throw error
  }
}

/** @throws INTERNAL_ERROR if a rule fails */
async function isAuthorized(authorize: () => Promise<unknown>): Promise<boolean> {
  try {
    await authorize()
    return true
  } catch (error) {
    if (error instanceof DaybookError && (error.status === 401 || error.status === 403)) return false
    throw error
  }
}
