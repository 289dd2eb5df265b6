import { DaybookError, validationErrorAt } from '../../errors.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { Reader } from '../../store/reads/reader.ts'
import { parseDraft, type StoredEntry } from '../../store/rows.ts'
import type { Writer } from '../../store/writes/writer.ts'
import { authorizeDraft } from '../access/draft-access.ts'
import { type FieldRights, resolveFieldRights } from '../access/field-access.ts'
import type { Values } from '../documents/document.ts'
import {
  type DraftRow,
  hasSameContent,
  toDraft,
  toDraftCanonical,
  toDraftRow,
  withStatusFrom,
} from '../documents/draft-row.ts'
import { StoredRevision } from '../documents/row.ts'
import { getLocaleStatus } from '../locales/localized.ts'
import { type Preconditions, requirePreconditions } from '../reads/etags.ts'
import { toProjectionTag } from '../reads/present.ts'
import { toDraftResponse } from '../reads/present-draft.ts'
import type { EntryResponse } from '../reads/response.ts'
import type { WriteContext } from '../writes/context.ts'
import { EntryTarget } from '../writes/entry-target.ts'
import type { PreparedWrite } from '../writes/pipeline.ts'
import type { NextRevision, UpdateTarget } from '../writes/update.ts'

/** The draft of an entry that is updated. The draft of an entry without one is the entry itself. */
export class DraftTarget implements UpdateTarget<DraftRow, EntryResponse> {
  readonly document: CollectionModel
  readonly id: string
  readonly requiresIfMatch: boolean
  readonly #context: WriteContext
  readonly #entry: EntryTarget
  readonly #isAutosave: boolean

  /** @param isAutosave each save replaces the previous autosave of the same actor in history */
  constructor(context: WriteContext, collection: CollectionModel, id: string, isAutosave = false) {
    this.#context = context
    this.#entry = new EntryTarget(context, collection, id)
    this.#isAutosave = isAutosave
    this.document = collection
    this.id = this.#entry.id
    this.requiresIfMatch = this.#entry.requiresIfMatch
  }

  async load(read: Reader): Promise<DraftRow> {
    return toDraftRow(await this.#entry.load(read))
  }

  async authorizeUpdate(read: Reader, { row }: StoredRevision<DraftRow>): Promise<void> {
    const { access, services: engine } = this.#context
    await this.#entry.authorizeUpdate(read, new StoredRevision(engine.model, this.document, row.entry))
    await authorizeDraft(access, read, this.document, row.id)
  }

  /** Only the stored entry can match a filter, so that of the result is checked when it is published. */
  async authorizeResult(revision: StoredRevision<DraftRow>, patch: Values): Promise<undefined> {
    await this.#entry.authorizeResult(revision, patch)
    return undefined
  }

  async derive(_read: Reader, values: Values): Promise<Values> {
    return values
  }

  /** @throws VALIDATION_ERROR if the draft would get another status than its entry */
  async store(
    writer: Writer,
    revision: StoredRevision<DraftRow>,
    { canonical: saved, patch, skipsUnchanged }: NextRevision,
    rights: FieldRights,
  ): Promise<EntryResponse> {
    const context = this.#context
    const { actor, author: person } = context
    const { document: collection } = this
    const { entry } = revision.row
    const canonical = withStatusFrom(collection, saved, entry)
    requireSameStatus(collection, patch, getLocaleStatus(collection, canonical, context.locale))
    if (skipsUnchanged && hasSameContent(collection, toDraftCanonical(collection, revision), canonical))
      return toDraftResponse(context, writer.read, collection, entry, rights)
    const at = new Date().toISOString()
    const save = { at, by: person, isAutosave: this.#isAutosave }
    const copy = toDraft(collection, entry, canonical, revision.orphaned, save)
    const former = parseDraft(entry)
    const replacesFormer = this.#isAutosave && former?.isAutosave === true && former.by === person
    const seq = await writer.drafts.write(collection, entry, copy, { at, actor, keepsFormer: !replacesFormer })
    const stored = { ...entry, draft: JSON.stringify({ seq, ...copy }) }
    return toDraftResponse(context, writer.read, collection, stored, rights)
  }
}

/** @throws VALIDATION_ERROR when a working copy would get another status than its entry has */
function requireSameStatus({ status }: CollectionModel, patch: Values, stored: unknown): void {
  if (!status || !Object.hasOwn(patch, status.key) || patch[status.key] === stored) return
  throw validationErrorAt(
    `/${status.key}`,
    'draft',
    'of a working copy is that of its entry; POST to the address of the entry with /publish or /unpublish changes it',
  )
}

/**
 * Prepares to throw a working copy away.
 *
 * @throws UNAUTHORIZED, FORBIDDEN; NOT_FOUND when there is none; its commit also PRECONDITION_REQUIRED, PRECONDITION_FAILED
 */
export async function prepareDiscard(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  options: Preconditions = {},
): Promise<PreparedWrite<{ readonly seq: number }>> {
  const { access, actor } = context
  const rights = resolveFieldRights(collection, access)
  return prepareDraftWrite(context, collection, id, async (writer, entry) => {
    const copy = parseDraft(entry)
    if (!copy) throw new DaybookError('NOT_FOUND', 'The entry has no working copy.')
    requirePreconditions(options, copy.seq, toProjectionTag(collection, copy.seq, rights), collection.requireIfMatch)
    const at = new Date().toISOString()
    return { seq: await writer.drafts.write(collection, entry, undefined, { at, actor }) }
  })
}

/**
 * Loads an entry whose draft the caller may change: the rule for updates and the rule about drafts are checked.
 *
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function loadEditableEntry(
  { access, services: engine }: WriteContext,
  target: EntryTarget,
  read: Reader,
): Promise<StoredEntry> {
  const { document: collection } = target
  const entry = await target.load(read)
  await target.authorizeUpdate(read, new StoredRevision(engine.model, collection, entry))
  await authorizeDraft(access, read, collection, entry.id)
  return entry
}

/**
 * Prepares work beside an entry that the caller may change. The rules are evaluated before the transaction, and in it again if the entry
 * has changed.
 *
 * @throws as {@link loadEditableEntry}; its commit also what `commit` throws
 */
export async function prepareDraftWrite<Result>(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  commit: (writer: Writer, entry: StoredEntry) => Promise<Result>,
): Promise<PreparedWrite<Result>> {
  const target = new EntryTarget(context, collection, id)
  await loadEditableEntry(context, target, context.services.store.read)
  return { commit: async ({ writer }) => commit(writer, await loadEditableEntry(context, target, writer.read)) }
}
