import { DaybookError, validationErrorAt } from '../../errors.ts'
import { PUBLISHED } from '../../fields/status.ts'
import type { CollectionModel, DocumentModel } from '../../model/model.ts'
import { isUuidShaped } from '../../slugs.ts'
import { decodeState } from '../../store/journal.ts'
import type { DeletedRow } from '../../store/reads/history-reader.ts'
import type { Reader } from '../../store/reads/reader.ts'
import { parseDraft, type StoredEntry } from '../../store/rows.ts'
import type { Writer } from '../../store/writes/writer.ts'
import type { Access } from '../access/access.ts'
import { canSeeDeleted } from '../access/draft-access.ts'
import { type FieldRights, resolveFieldRights } from '../access/field-access.ts'
import { bytesGoneError, isRestorable } from '../assets/deleted-files.ts'
import { toAuthor } from '../context.ts'
import type { Values } from '../documents/document.ts'
import { getDraftRevision, hasSameContent, toDraft, toDraftCanonical } from '../documents/draft-row.ts'
import { readFormerState } from '../documents/migrate-document.ts'
import { readStoredValues, toCanonical } from '../documents/row.ts'
import type { CanonicalDocument } from '../locales/localized.ts'
import { type Preconditions, requirePreconditions } from '../reads/etags.ts'
import { toEntryResponse, toProjectionTag } from '../reads/present.ts'
import { toDraftResponse } from '../reads/present-draft.ts'
import type { EntryResponse } from '../reads/response.ts'
import { checkBody } from '../writes/body.ts'
import type { WriteContext } from '../writes/context.ts'
import { authorizeNewEntry } from '../writes/create.ts'
import { EntryTarget } from '../writes/entry-target.ts'
import { type PreparedWrite, StaleWrite } from '../writes/pipeline.ts'
import { prepareReplace, requireValid } from '../writes/replace.ts'
import { withDefaultLocale } from './publish.ts'
import { type Recreation, recreate, runsHooksOnRecreation } from './recreate.ts'
import { loadEditableEntry, prepareDraftWrite } from './save-draft.ts'

export interface RestoredVersion {
  /** Required unless the entry is deleted. @default the last revision before the deletion */
  readonly revision: number | undefined
  readonly slug: string | undefined
}

/**
 * Runs in the transaction that stores a deleted asset again, after its file has been moved back.
 *
 * @param createdBy the uploader; `null` if it is unknown
 */
export type CompleteFile = (writer: Writer, createdBy: string | null) => Promise<void>

export interface RestoreConditions extends Preconditions {
  /** @default deleted assets are rejected: only their own route moves the file */
  readonly completeFile?: CompleteFile
}

export const NEEDS_REVISION = 'must be the number of a version. GET …/versions lists them.'

/**
 * Prepares to restore the content of an earlier revision: as the draft, or, in a collection without a status, as a new revision. Fields
 * that the caller may not read or write stay as they are. A deleted entry is stored again, unpublished if its collection has a status.
 *
 * @throws as updates of entries do; NOT_FOUND if the entry has no such version, or the version was erased
 */
export async function prepareRestore(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  version: RestoredVersion,
  options: RestoreConditions = {},
): Promise<PreparedWrite<EntryResponse>> {
  const existing = await context.content.store.read.entries.stored(collection, id.toLowerCase())
  if (!existing && isUuidShaped(id)) return prepareDeleted(context, collection, id.toLowerCase(), version, options)
  const { revision, slug } = version
  if (revision === undefined || slug !== undefined) {
    // Only a caller who may update the entry learns that it exists.
    await loadEditableEntry(context, new EntryTarget(context, collection, id), context.content.store.read)
    if (slug !== undefined)
      throw validationErrorAt('/slug', 'deleted', 'is not allowed, because the entry is not deleted. Leave it out.')
    throw validationErrorAt('/revision', 'required', NEEDS_REVISION)
  }
  return collection.status
    ? restoreToDraft(context, collection, id, revision, options)
    : restoreEntry(context, collection, id, revision, options)
}

/** Prepares to store a deleted entry again. */
async function prepareDeleted(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  { revision, slug }: RestoredVersion,
  options: RestoreConditions,
): Promise<PreparedWrite<EntryResponse>> {
  const { access } = context
  const { completeFile } = options
  const { read } = context.content.store
  const document = { collection: collection.key, id }
  await access.authorizeRead(collection)
  const deleted = (await canSeeDeleted(access, collection)) ? await read.history.deletedEntry(document) : undefined
  if (!deleted) throw new DaybookError('NOT_FOUND')
  if (!isRestorable(collection, deleted)) throw bytesGoneError()
  if (collection.holdsFiles && !completeFile) throw validationErrorAt('/', 'file', NEEDS_ASSET_ROUTE)
  const lastContent = readFormerState(collection, deleted.text)
  const text = revision === undefined ? undefined : await read.journal.versionText(collection.key, id, revision)
  if (revision !== undefined && text === undefined) throw createNoVersionError(revision)
  const protectedFields = findProtectedFields(collection, access)
  const content =
    text === undefined
      ? lastContent
      : keepProtectedFields(collection, readFormerState(collection, text), lastContent, protectedFields)
  const rights = resolveFieldRights(collection, access)
  const former = toRestoredContent(collection, content, slug === undefined ? {} : checkSlug(collection, slug, rights))
  const createFilter = await access.authorizeWrite(collection, 'create')
  const createdBy = getCreator(deleted)
  const restoredEntry = { ...former.values, createdBy, updatedBy: context.author }
  const updateFilter = await access.authorizeWrite(collection, 'update', collection.access.update && restoredEntry)
  requirePreconditions(options, 0, toProjectionTag(collection, 0, rights), false)
  const isComplete = !collection.status || former.values[collection.status.key] === PUBLISHED
  if (isComplete) requireValid(context, collection, former, rights)
  const recreation: Recreation = {
    id,
    former,
    createdBy,
    isComplete,
    dropDanglingIn: new Set(collection.fields.map(({ key }) => key)),
    willExist: (entry) => entry.collection === collection.key && entry.id === id,
  }
  return {
    exclusive: runsHooksOnRecreation(context, collection),
    commit: async (transaction) => {
      const { writer } = transaction
      const current = await writer.read.history.deletedEntry(document)
      if (current?.seq !== deleted.seq) throw new StaleWrite()
      await recreate(context, collection, recreation, transaction)
      await authorizeNewEntry(context, writer.read, collection, id, createFilter)
      await authorizeNewEntry(context, writer.read, collection, id, updateFilter)
      await completeFile?.(writer, createdBy)
      const stored = await writer.read.entries.stored(collection, id)
      if (!stored) throw new Error(`The restored entry ${id} of ${collection.key} does not exist.`)
      return collection.status
        ? toDraftResponse(withDefaultLocale(context), writer.read, collection, stored, rights)
        : toEntryResponse(collection, stored, rights)
    },
  }
}

const NEEDS_ASSET_ROUTE = 'A deleted file cannot be restored in a batch. Restore it with POST /api/assets/ID/restore.'

/** Returns the author of a deleted entry; `null` if it is unknown. */
export const getCreator = ({ creator }: Pick<DeletedRow, 'creator'>): string | null =>
  creator === null ? null : toAuthor(creator)

/** Returns a version of a deleted entry as it is stored again: unpublished if its collection has a status. */
export function toRestoredContent(
  { status }: CollectionModel,
  { values, translations }: CanonicalDocument,
  changes: Values = {},
): CanonicalDocument {
  const hidden = status?.values.find((value) => value !== PUBLISHED) ?? PUBLISHED
  return { values: { ...values, ...changes, ...(status ? { [status.key]: hidden } : {}) }, translations }
}

/** @throws VALIDATION_ERROR */
function checkSlug(collection: CollectionModel, slug: string, rights: FieldRights): Values {
  if (collection.slug) return checkBody(collection, 'draft', { [collection.slug.key]: slug }, rights)
  throw validationErrorAt(
    '/slug',
    'unknown_field',
    `is not allowed, because entries of ${collection.key} have no slug. Leave it out.`,
  )
}

async function restoreToDraft(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  revision: number,
  options: Preconditions,
): Promise<PreparedWrite<EntryResponse>> {
  const { content, access, actor, author } = context
  const rights = resolveFieldRights(collection, access)
  return prepareDraftWrite(context, collection, id, async (writer, entry) => {
    const before = getDraftRevision(content.model, collection, entry)
    const { seq } = before.row
    requirePreconditions(options, seq, toProjectionTag(collection, seq, rights), collection.requireIfMatch)
    const currentContent = toDraftCanonical(collection, before)
    const version = await readVersion(writer.read, collection, entry, revision)
    const canonical = keepProtectedFields(collection, version, currentContent, findProtectedFields(collection, access))
    const respond = (resultEntry: StoredEntry): Promise<EntryResponse> =>
      toDraftResponse(withDefaultLocale(context), writer.read, collection, resultEntry, rights)
    if (hasSameContent(collection, currentContent, canonical)) return respond(entry)
    const at = new Date().toISOString()
    const draft = toDraft(collection, entry, canonical, before.orphaned, { at, by: author, isAutosave: false })
    const draftSeq = await writer.drafts.write(collection, entry, draft, { at, actor })
    return respond({ ...entry, draft: JSON.stringify({ seq: draftSeq, ...draft }) })
  })
}

function restoreEntry(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  revision: number,
  options: Preconditions,
): Promise<PreparedWrite<EntryResponse>> {
  const protectedFields = findProtectedFields(collection, context.access)
  const write = {
    action: 'restore',
    getRevision: ({ seq }: StoredEntry) => seq,
    propose: async (read: Reader, entry: StoredEntry) => {
      const currentContent = toCanonical(readStoredValues(collection, entry), entry.locales)
      const canonical = keepProtectedFields(
        collection,
        await readVersion(read, collection, entry, revision),
        currentContent,
        protectedFields,
      )
      if (hasSameContent(collection, currentContent, canonical)) return undefined
      return { canonical, orphaned: null, draft: entry.draft, isComplete: true }
    },
  } as const
  return prepareReplace(withDefaultLocale(context), collection, id, write, options)
}

/** Returns the fields that the caller may not read or write. */
function findProtectedFields(collection: CollectionModel, access: Access): ReadonlySet<string> {
  const protectedFields = collection.fields.filter((field) => !access.canWriteField(collection, field))
  return new Set([...access.hidden(collection), ...protectedFields.map(({ key }) => key)])
}

/**
 * Returns a version of an entry under the current config.
 *
 * @throws NOT_FOUND
 */
async function readVersion(
  read: Reader,
  collection: CollectionModel,
  entry: StoredEntry,
  revision: number,
): Promise<CanonicalDocument> {
  const draft = parseDraft(entry)
  const text = await read.journal.versionText(collection.key, entry.id, revision)
  const storedRow = [entry, ...(draft ? [draft] : [])].find(({ seq }) => seq === revision)
  if (storedRow) return toCanonical(readStoredValues(collection, storedRow), storedRow.locales)
  if (text === undefined) throw createNoVersionError(revision)
  const { values, locales, orphaned } = decodeState(text)
  const row = { doc: '', schema_hash: '', orphaned, created_by: null, updated_by: null }
  return toCanonical(readStoredValues(collection, row, values), locales)
}

const createNoVersionError = (revision: number): DaybookError =>
  new DaybookError('NOT_FOUND', `The entry has no version ${revision} that can be restored.`)

/** Returns a version of a document with the current values of its status, its hidden fields and the fields that only the service writes. */
export function keepProtectedFields(
  { fields, status, serviceMadeKeys, localized }: DocumentModel & Pick<CollectionModel, 'status'>,
  version: CanonicalDocument,
  current: CanonicalDocument,
  hidden: ReadonlySet<string>,
): CanonicalDocument {
  const currentFields = fields.filter(({ key }) => hidden.has(key) || serviceMadeKeys.has(key) || key === status?.key)
  const values = Object.fromEntries(
    currentFields.flatMap(({ servedKeys }) => servedKeys).map((key) => [key, current.values[key]] as const),
  )
  const isCurrent = (path: string): boolean =>
    currentFields.some(({ key }) => localized.has(key) && path.split('/')[0] === key)
  const locales = [...new Set([...Object.keys(version.translations), ...Object.keys(current.translations)])]
  const translations = locales.map((locale) => {
    const restoredTranslation = Object.entries(version.translations[locale] ?? {}).filter(([path]) => !isCurrent(path))
    const currentTranslation = Object.entries(current.translations[locale] ?? {}).filter(([path]) => isCurrent(path))
    return [locale, Object.fromEntries([...restoredTranslation, ...currentTranslation])] as const
  })
  const nonEmpty = translations.filter(([, translation]) => Object.keys(translation).length > 0)
  const { publishedLocales } = status ? current : version
  return {
    values: { ...version.values, ...values },
    translations: Object.fromEntries(nonEmpty),
    ...(publishedLocales ? { publishedLocales } : {}),
  }
}
