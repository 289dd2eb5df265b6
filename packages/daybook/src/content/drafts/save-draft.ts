import { DaybookError, invalidAt } from '../../errors.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { Reader } from '../../store/reads/read.ts'
import { workingCopyOf } from '../../store/working-copy.ts'
import type { Writer } from '../../store/writes/write.ts'
import { requireVisibleDraft } from '../access/draft-access.ts'
import { type FieldRights, fieldRights } from '../access/field-access.ts'
import type { Values } from '../documents/document.ts'
import {
  type DraftRow,
  draftCanonical,
  draftRow,
  isSameContent,
  toWorkingCopy,
  withStatusOf,
} from '../documents/draft-row.ts'
import { Revision } from '../documents/row.ts'
import { statusIn } from '../locales/localized.ts'
import type { EntryAnswer } from '../reads/answer.ts'
import { draftAnswer } from '../reads/draft-answer.ts'
import { type Preconditions, requirePreconditions } from '../reads/etags.ts'
import { tagOf } from '../reads/present.ts'
import type { WriteContext } from '../writes/context.ts'
import { EntryTarget } from '../writes/entry-target.ts'
import type { PreparedWrite } from '../writes/pipeline.ts'
import type { NextRevision, UpdateTarget } from '../writes/update.ts'
import { prepareEntryWork } from './entry-work.ts'

/** The draft of an entry that is updated. The draft of an entry without one is the entry itself. */
export class DraftTarget implements UpdateTarget<DraftRow, EntryAnswer> {
  readonly document: CollectionModel
  readonly id: string
  readonly isMatchRequired: boolean
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
    this.isMatchRequired = this.#entry.isMatchRequired
  }

  async load(read: Reader): Promise<DraftRow> {
    return draftRow(await this.#entry.load(read))
  }

  async authorizeUpdate(read: Reader, { row }: Revision<DraftRow>): Promise<void> {
    const { access, engine } = this.#context
    await this.#entry.authorizeUpdate(read, new Revision(engine.model, this.document, row.entry))
    await requireVisibleDraft(access, read, this.document, row.id)
  }

  /** Only the stored entry can match a filter, so that of the result is checked when it is published. */
  async authorizeResult(revision: Revision<DraftRow>, patch: Values): Promise<undefined> {
    await this.#entry.authorizeResult(revision, patch)
    return undefined
  }

  async derive(_read: Reader, values: Values): Promise<Values> {
    return values
  }

  /** @throws VALIDATION_ERROR if the draft would get another status than its entry */
  async store(
    writer: Writer,
    revision: Revision<DraftRow>,
    { canonical: saved, patch, mayBeSame }: NextRevision,
    rights: FieldRights,
  ): Promise<EntryAnswer> {
    const context = this.#context
    const { actor, person } = context
    const { document: collection } = this
    const { entry } = revision.row
    const canonical = withStatusOf(collection, saved, entry)
    requireSameStatus(collection, patch, statusIn(collection, canonical, context.locale))
    if (mayBeSame && isSameContent(collection, draftCanonical(collection, revision), canonical))
      return draftAnswer(context, writer.read, collection, entry, rights)
    const at = new Date().toISOString()
    const save = { at, by: person, isAutosave: this.#isAutosave }
    const copy = toWorkingCopy(collection, entry, canonical, revision.orphaned, save)
    const former = workingCopyOf(entry)
    const replacesFormer = this.#isAutosave && former?.isAutosave === true && former.by === person
    const seq = await writer.drafts.write(collection, entry, copy, { at, actor, keepsFormer: !replacesFormer })
    const stored = { ...entry, draft: JSON.stringify({ seq, ...copy }) }
    return draftAnswer(context, writer.read, collection, stored, rights)
  }
}

/** @throws VALIDATION_ERROR when a working copy would get another status than its entry has */
function requireSameStatus({ status }: CollectionModel, patch: Values, stored: unknown): void {
  if (!status || !Object.hasOwn(patch, status.key) || patch[status.key] === stored) return
  throw invalidAt(
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
  const rights = fieldRights(collection, access)
  return prepareEntryWork(context, collection, id, async (writer, entry) => {
    const copy = workingCopyOf(entry)
    if (!copy) throw new DaybookError('NOT_FOUND', 'The entry has no working copy.')
    requirePreconditions(options, copy.seq, tagOf(collection, copy.seq, rights), collection.requireIfMatch)
    const at = new Date().toISOString()
    return { seq: await writer.drafts.write(collection, entry, undefined, { at, actor }) }
  })
}
