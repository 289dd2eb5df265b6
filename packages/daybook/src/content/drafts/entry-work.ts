import type { CollectionModel } from '../../model/model.ts'
import type { Reader } from '../../store/reads/read.ts'
import type { StoredEntry } from '../../store/reads/rows.ts'
import type { Writer } from '../../store/writes/write.ts'
import { requireVisibleDraft } from '../access/draft-access.ts'
import { Revision } from '../documents/row.ts'
import type { WriteContext } from '../writes/context.ts'
import { EntryTarget } from '../writes/entry-target.ts'
import type { PreparedWrite } from '../writes/pipeline.ts'

/**
 * Loads an entry whose draft the caller may change: the rule for updates and the rule about drafts are checked.
 *
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function requireEditableDraft(
  { access, engine }: WriteContext,
  target: EntryTarget,
  read: Reader,
): Promise<StoredEntry> {
  const { document: collection } = target
  const entry = await target.load(read)
  await target.authorizeUpdate(read, new Revision(engine.model, collection, entry))
  await requireVisibleDraft(access, read, collection, entry.id)
  return entry
}

/**
 * Prepares work beside an entry that the caller may change. The rules are evaluated before the transaction, and in it again if the entry
 * has changed.
 *
 * @throws as {@link requireEditableDraft}; its commit also what `commit` throws
 */
export async function prepareEntryWork<Result>(
  context: WriteContext,
  collection: CollectionModel,
  id: string,
  commit: (writer: Writer, entry: StoredEntry) => Promise<Result>,
): Promise<PreparedWrite<Result>> {
  const target = new EntryTarget(context, collection, id)
  await requireEditableDraft(context, target, context.engine.store.read)
  return { commit: async ({ writer }) => commit(writer, await requireEditableDraft(context, target, writer.read)) }
}
