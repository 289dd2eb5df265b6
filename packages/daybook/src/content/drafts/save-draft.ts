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
import { requireParent } from '../writes/parents.ts'
import type { PreparedWrite } from '../writes/pipeline.ts'
import type { NextRevision, UpdateTarget } from '../writes/update.ts'

/** The draft to update. If an entry has no draft, the update starts from the entry itself. */
export class DraftTarget implements UpdateTarget<DraftRow, EntryResponse> {
  readonly document: CollectionModel
  readonly id: string
  readonly requiresIfMatch: boolean
  readonly #context: WriteContext
  readonly #entry: EntryTarget
  readonly #isAutosave: boolean

  /** @param isAutosave true if the save replaces the previous autosave of the same author in history */
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
    const { access, content } = this.#context
    await this.#entry.authorizeUpdate(read, new StoredRevision(content.model, this.document, row.entry))
    await authorizeDraft(access, read, this.document, row.id)
  }

  /** Evaluates the rule for the result. A returned filter can only match a stored entry, so it is checked at publication. */
  async authorizeResult(revision: StoredRevision<DraftRow>, patch: Values): Promise<undefined> {
    await this.#entry.authorizeResult(revision, patch)
    return undefined
  }

  /** @throws VALIDATION_ERROR if publishing the draft would make the entry its own ancestor */
  async derive(read: Reader, values: Values, before: StoredRevision<DraftRow>): Promise<Values> {
    await requireParent(read, this.document, values, this.id, before.values)
    return values
  }

  /** @throws VALIDATION_ERROR if the draft would get another status than its entry */
  async store(
    writer: Writer,
    revision: StoredRevision<DraftRow>,
    { canonical: content, patch, skipsUnchanged }: NextRevision,
    rights: FieldRights,
  ): Promise<EntryResponse> {
    const context = this.#context
    const { actor, author } = context
    const { document: collection } = this
    const { entry } = revision.row
    const canonical = withStatusFrom(collection, content, entry)
    requireSameStatus(collection, patch, getLocaleStatus(collection, canonical, context.locale))
    if (skipsUnchanged && hasSameContent(collection, toDraftCanonical(collection, revision), canonical))
      return toDraftResponse(context, writer.read, collection, entry, rights)
    const at = new Date().toISOString()
    const save = { at, by: author, isAutosave: this.#isAutosave }
    const draft = toDraft(collection, entry, canonical, revision.orphaned, save)
    const previousDraft = parseDraft(entry)
    const replacesPrevious = this.#isAutosave && previousDraft?.isAutosave === true && previousDraft.by === author
    const seq = await writer.drafts.write(collection, entry, draft, { at, actor, keepsFormer: !replacesPrevious })
    const stored = { ...entry, draft: JSON.stringify({ seq, ...draft }) }
    return toDraftResponse(context, writer.read, collection, stored, rights)
  }
}

/** @throws VALIDATION_ERROR if the draft would get another status than its entry */
function requireSameStatus({ status }: CollectionModel, patch: Values, stored: unknown): void {
  if (!status || !Object.hasOwn(patch, status.key) || patch[status.key] === stored) return
  throw validationErrorAt(
    `/${status.key}`,
    'draft',
    'cannot be changed in a draft. POST to the address of the entry with /publish or /unpublish.',
  )
}

/**
 * Prepares to discard a draft.
 *
 * @throws UNAUTHORIZED, FORBIDDEN; NOT_FOUND if there is none; its commit also PRECONDITION_REQUIRED, PRECONDITION_FAILED
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
    const draft = parseDraft(entry)
    if (!draft) throw new DaybookError('NOT_FOUND', 'The entry has no draft.')
    requirePreconditions(options, draft.seq, toProjectionTag(collection, draft.seq, rights), collection.requireIfMatch)
    const at = new Date().toISOString()
    return { seq: await writer.drafts.write(collection, entry, undefined, { at, actor }) }
  })
}

/**
 * Loads an entry, and checks that the caller may update it and see its draft.
 *
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function loadEditableEntry(
  { access, content }: WriteContext,
  target: EntryTarget,
  read: Reader,
): Promise<StoredEntry> {
  const { document: collection } = target
  const entry = await target.load(read)
  await target.authorizeUpdate(read, new StoredRevision(content.model, collection, entry))
  await authorizeDraft(access, read, collection, entry.id)
  return entry
}

/**
 * Prepares a change of a draft or a schedule. The rules are evaluated before the transaction, and again inside it if the entry has changed.
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
  await loadEditableEntry(context, target, context.content.store.read)
  return { commit: async ({ writer }) => commit(writer, await loadEditableEntry(context, target, writer.read)) }
}
