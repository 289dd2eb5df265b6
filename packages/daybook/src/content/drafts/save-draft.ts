import { DaybookError, invalidAt } from '../../errors.ts'
import type { CollectionModel } from '../../model/model.ts'
import { workingCopyOf } from '../../store/working-copy.ts'
import { fieldRights } from '../access/field-access.ts'
import type { EntryAnswer } from '../answer.ts'
import type { Values } from '../document.ts'
import { type Preconditions, requirePreconditions } from '../etags.ts'
import { statusIn } from '../locales/localized.ts'
import { tagOf } from '../reads/present.ts'
import { type ChangeTarget, checkChange, type UpdateOptions } from '../writes/change.ts'
import type { WriteContext } from '../writes/context.ts'
import { entryTarget, resultOf } from '../writes/entries.ts'
import type { CheckedWrite, PreparedWrite } from '../writes/pipeline.ts'
import { Revision } from '../writes/revision.ts'
import { requireVisibleDraft } from './draft-access.ts'
import { draftAnswer } from './draft-answer.ts'
import { type DraftRow, draftCanonical, draftRow, isSameContent, toWorkingCopy, withStatusOf } from './draft-row.ts'
import { prepareEntryWork } from './entry-work.ts'

/** How a working copy is saved. */
export interface DraftOptions extends UpdateOptions {
  /** While the same actor autosaves, each save takes the place of the one before it in history. @default false */
  readonly isAutosave?: boolean
}

/**
 * Checks what the body of a working copy says. It may lack what is required; hooks and validators run when it is published.
 *
 * @returns and throws as {@link checkChange}; VALIDATION_ERROR also when it names another status
 */
export function checkDraft(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  body: unknown,
  options: DraftOptions = {},
): CheckedWrite<EntryAnswer> {
  return checkChange(context, draftTarget(context, collection, id, options), body, { ...options, isDraft: true })
}

/** The draft of an entry that is to be saved. */
export function draftTarget(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  { isAutosave = false }: DraftOptions = {},
): ChangeTarget<DraftRow, EntryAnswer> {
  const { engine, access, actor, person } = context
  const { model } = engine
  const target = entryTarget(context, collection, id)
  return {
    document: collection,
    id: target.id,
    isMatchRequired: target.isMatchRequired,
    load: async (read) => draftRow(await target.load(read)),
    parse: (row) => new Revision(model, collection, row),
    requireChange: async (read, { row }) => {
      await target.requireChange(read, target.parse(row.entry))
      await requireVisibleDraft(access, read, collection, row.id)
    },
    // What the result must hold shows when it is published: until then, only the entry can be looked up.
    allowResult: async (revision, patch) => {
      if (!collection.access.update) return undefined
      await access.requireWrite(collection, 'update', resultOf(context, collection, revision, patch))
      return undefined
    },
    derive: async (_read, values) => values,
    store: async (writer, revision, { canonical: saved, patch, mayBeSame }, rights) => {
      const { entry } = revision.row
      const canonical = withStatusOf(collection, saved, entry)
      requireSameStatus(collection, patch, statusIn(collection, canonical, context.locale))
      const shown = (one: typeof entry): Promise<EntryAnswer> =>
        draftAnswer(context, writer.read, collection, one, rights)
      if (mayBeSame && isSameContent(collection, draftCanonical(collection, revision), canonical)) return shown(entry)
      const at = new Date().toISOString()
      const copy = toWorkingCopy(collection, entry, canonical, revision.orphaned, { at, by: person, isAutosave })
      const former = workingCopyOf(entry)
      const takesPlace = isAutosave && former?.isAutosave === true && former.by === person
      const seq = await writer.drafts.write(collection, entry, copy, { at, actor, keepsFormer: !takesPlace })
      return shown({ ...entry, draft: JSON.stringify({ seq, ...copy }) })
    },
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
